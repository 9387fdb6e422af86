import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { login } from '../../contracts/accounts/accounts.ts';
import { Client } from '../calls/client.ts';
import { CAST, PASSWORD } from '../cast.ts';
import { findFreePort } from '../network/free-port.ts';
import { findProgram } from './programs.ts';

const MAIN = findProgram('server');
/** Warnings that depend on the speed of the machine and not on the test. */
const SLOW_MACHINE = /^\{.*"msg":"(A database statement was slow\.|slow chunk)"\}\n/gm;
/** Only a server that hangs takes longer. */
const READY_WITHIN_MS = 120_000;

export type Exit = { code: number | null; signal: NodeJS.Signals | null; output: string };

/** The real server in a separate process, with a DATA_DIR and a port that survive its restarts. */
export class ServerProcess {
  readonly port: number;
  readonly url: string;
  readonly dataDir: string;
  stdout: number | undefined;
  cwd: string | undefined;
  readonly #env: Record<string, string>;
  readonly #main: string;
  #printed = '';
  #child: ChildProcess | undefined;
  #exit: Promise<Exit> | undefined;

  /** `main` is the program to run, by default the server of this checkout. */
  constructor(port: number, dataDir: string, env: Record<string, string>, main = MAIN) {
    this.#main = main;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.dataDir = dataDir;
    this.#env = { ...baseEnvironment(port, dataDir), ...env };
  }

  /** Its output since the launch, without warnings about slow statements and chunks. */
  get output(): string {
    return this.#printed.replaceAll(SLOW_MACHINE, '');
  }

  /** The environment for other programs that use the same DATA_DIR and database. */
  get environment(): Record<string, string> {
    return { ...this.#env };
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('The server is not running');
    return pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  launch(): void {
    const child = spawn(process.execPath, [this.#main], {
      cwd: this.cwd,
      env: this.#env,
      stdio: ['ignore', this.stdout ?? 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes: Buffer) => {
        this.#printed = (this.#printed + bytes.toString()).slice(-100_000);
      });
    this.#exit = watchExit(child, () => this.output);
  }

  async waitUntilReady(): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    let ended: Exit | undefined;
    void this.waitForExit().then((exit) => {
      ended = exit;
    });
    while (!(await isReady(this.url))) {
      if (ended) throw new Error(`The server ended with ${ended.code ?? ended.signal}: ${ended.output}`);
      if (Date.now() > deadline) throw new Error(`No server on ${this.url}`);
      await sleep(25);
    }
  }

  async start(): Promise<void> {
    this.launch();
    await this.waitUntilReady();
  }

  /** Lets this process exit while the server runs. */
  unref(): void {
    this.#child?.unref();
    for (const stream of [this.#child?.stdout, this.#child?.stderr]) (stream as Socket | undefined)?.unref();
  }

  /** Restarts as after a crash, without a shutdown. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Sends SIGKILL synchronously and resolves when the process has exited. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exit;
  }

  async terminate(): Promise<number | null> {
    this.#child?.kill('SIGTERM');
    return (await this.waitForExit()).code;
  }

  async waitForExit(): Promise<Exit> {
    if (!this.#exit) throw new Error('The server was never started');
    return this.#exit;
  }

  rssBytes(): number {
    const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'));
    return Number(line![1]) * 1024;
  }

  countDescriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Opens the server's SQLite database from this process. Works while the server is down too. */
  withDatabase<T>(use: (database: DatabaseSync) => T): T {
    const database = new DatabaseSync(join(this.dataDir, 'sendwell.db'), { timeout: 10_000 });
    try {
      return use(database);
    } finally {
      database.close();
    }
  }

  anonymous(): Client {
    return new Client(this.url);
  }

  /** Signs in as Ada, the administrator configured by ADMIN_*. */
  async signIn(): Promise<Client> {
    const client = this.anonymous();
    await client.call(login, { body: { username: CAST.ada.username, password: PASSWORD } });
    return client;
  }
}

/**
 * A server that has not been started. When the test ends, it is killed and its folder removed. If the test has failed,
 * its output is printed.
 */
export async function prepareServerProcess(
  t: Pick<TestContext, 'after'>,
  env: Record<string, string> = {},
  main = MAIN,
): Promise<ServerProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sendwell-process-'));
  const server = new ServerProcess(await findFreePort(), dataDir, env, main);
  const killAtExit = () => void server.kill();
  process.once('exit', killAtExit);
  t.after(async () => {
    process.off('exit', killAtExit);
    await server.kill();
    printIfFailed(t, server);
    await rm(dataDir, { recursive: true, force: true });
  });
  return server;
}

/** Prints the output of the server of a test that has failed. Call it when the test has ended. */
export function printIfFailed(t: object, { output }: ServerProcess): void {
  if ('passed' in t && t.passed === false) console.log(output);
}

export async function startServerProcess(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const server = await prepareServerProcess(t, env);
  await server.start();
  return server;
}

let shared: Promise<ServerProcess> | undefined;

/**
 * The server of all tests of this process that neither stop nor configure one and have people of their own. A start
 * takes seconds of processor time.
 */
export function shareServerProcess(): Promise<ServerProcess> {
  const start = async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'sendwell-process-'));
    const server = new ServerProcess(await findFreePort(), dataDir, {});
    process.once('exit', () => {
      void server.kill();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
    });
    await server.start();
    server.unref();
    return server;
  };
  shared ??= start();
  return shared;
}

/** Of the developer's environment only PATH, and no .env: both may contain settings of another server. */
function baseEnvironment(port: number, dataDir: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    ENV_FILE: 'off',
    NODE_COMPILE_CACHE: fillCompileCache(),
    PORT: String(port),
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
    ADMIN_USERNAME: CAST.ada.username,
    ADMIN_EMAIL: CAST.ada.email,
    ADMIN_PASSWORD: PASSWORD,
  };
}

let compileCache: string | undefined;

/**
 * A folder with the server's compiled code, shared by the whole test run if it provides one. Without it, a test that
 * starts the server fifty times strips its types fifty times. Only a process that exits by itself writes this cache,
 * so the server is started once with invalid settings, unless the gate has done so.
 */
function fillCompileCache(): string {
  compileCache ??= process.env.NODE_COMPILE_CACHE;
  if (compileCache !== undefined) return compileCache;
  const folder = makeFolderUntilExit();
  spawnSync(process.execPath, [MAIN], {
    env: { ENV_FILE: 'off', NODE_COMPILE_CACHE: folder, PORT: 'none' },
    stdio: 'ignore',
  });
  compileCache = folder;
  return folder;
}

function makeFolderUntilExit(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-compiled-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function watchExit(child: ChildProcess, readOutput: () => string): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, output: readOutput() }));
  });
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}
