import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { Client } from '../../testing/calls/client.ts';
import { findFreePort } from '../../testing/network/free-port.ts';
import { inheritCompileCache } from '../../testing/processes/compile-cache.ts';
import { findProgram } from '../../testing/processes/programs.ts';

const ROOT = join(import.meta.dirname, '../..');
const NODE = join(ROOT, 'node_modules/.bin/node');

/** The built product as an operator runs it, without a mail server. */
export class JourneyServer {
  readonly url: string;
  readonly #port: number;
  readonly #environment: Record<string, string>;
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'sendwell-journey-'));
  readonly #arrivals = new EventEmitter();
  #lines: string[] = [];
  #child: ChildProcess | undefined;

  constructor(port: number, environment: Record<string, string>, host: string) {
    this.#port = port;
    this.#environment = environment;
    this.url = `http://${host}:${port}`;
  }

  /** Resolves when the log says that the server is ready. A later start uses the same data. */
  async start(): Promise<void> {
    this.#lines = [];
    const child = spawn(NODE, [findProgram('server')], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        ENV_FILE: 'off',
        PORT: String(this.#port),
        PUBLIC_URL: this.url,
        DATA_DIR: this.#dataDir,
        RATE_LIMIT: 'off',
        // The gate fills it: a killed server writes nothing.
        ...inheritCompileCache(),
        ...this.#environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    // Playwright may end this process before the test has cleaned up.
    const killAtExit = () => child.kill('SIGKILL');
    process.once('exit', killAtExit);
    child.once('close', () => process.off('exit', killAtExit));
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => this.#keep(line));
    const ended = once(child, 'close').then(() => {
      throw new Error(`The server ended: ${this.#lines.join('\n')}`);
    });
    // Ending is an error only before the server is ready.
    ended.catch(() => undefined);
    await Promise.race([this.#findLine((line) => line.includes('Sendwell is ready') || undefined), ended]);
  }

  /** SIGKILL, as in a crash. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  /** The code emailed to this address, from the log line that replaces emails. */
  findCode(email: string): Promise<string> {
    return this.#findInMail(email, 'verification-code');
  }

  /** The link in the first email of this kind to this address. */
  findLink(email: string, kind: string): Promise<string> {
    return this.#findInMail(email, kind);
  }

  /** Opens the database while the server runs. */
  withDatabase<T>(use: (database: DatabaseSync) => T): T {
    const database = new DatabaseSync(join(this.#dataDir, 'sendwell.db'), { timeout: 10_000 });
    try {
      return use(database);
    } finally {
      database.close();
    }
  }

  anonymous(): Client {
    return new Client(this.url);
  }

  #findInMail(email: string, kind: string): Promise<string> {
    return this.#findLine((line) => {
      if (!line.includes(`"${kind}"`) || !line.includes(`"${email}"`)) return undefined;
      return (JSON.parse(line) as { forTheReader: string[] }).forTheReader[0];
    });
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#arrivals.emit('line', line);
  }

  #findLine<T>(read: (line: string) => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = (line: string) => {
        const found = read(line);
        if (found === undefined) return;
        this.#arrivals.off('line', look);
        resolve(found);
      };
      this.#arrivals.on('line', look);
      this.#lines.forEach(look);
    });
  }
}

/** Starts a server on a free port with additional settings. */
export async function startJourneyServer(
  environment: Record<string, string> = {},
  { host = '127.0.0.1' } = {},
): Promise<JourneyServer> {
  const server = new JourneyServer(await findFreePort(), environment, host);
  await server.start();
  return server;
}
