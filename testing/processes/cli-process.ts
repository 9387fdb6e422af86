import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { login, register } from '../../contracts/accounts/accounts.ts';
import { createApiKey } from '../../contracts/accounts/api-keys.ts';
import type { Client } from '../calls/client.ts';
import { PASSWORD } from '../cast.ts';
import { inheritCompileCache } from './compile-cache.ts';
import { findProgram } from './programs.ts';
import { type ServerProcess, shareServerProcess } from './server-process.ts';

const MAIN = findProgram('cli');

export type CliResult = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
};
type Options = { env?: Record<string, string>; input?: string; cwd?: string };

/** `sendwell` as a user runs it, with its own home folder. */
export class Cli {
  readonly folder: string;
  readonly env: Record<string, string>;

  constructor(folder: string, env: Record<string, string>) {
    this.folder = folder;
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_STATE_HOME: join(folder, 'state'),
      ...inheritCompileCache(),
      ...env,
    };
  }

  start(args: string[], { env = {}, input, cwd = this.folder }: Options = {}): RunningCli {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: { ...this.env, ...env },
      stdio: 'pipe',
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    return new RunningCli(child);
  }

  run(args: string[], options: Options = {}): Promise<CliResult> {
    return this.start(args, options).result;
  }

  /** Runs a command with `--json` and parses its output, which must be one object on one line. */
  async runJson(
    args: string[],
    options: Options = {},
  ): Promise<CliResult & { facts: Record<string, unknown> }> {
    const result = await this.run([...args, '--json'], options);
    assert.match(result.stdout, /^\{.*\}\n$/, result.stderr);
    return { ...result, facts: JSON.parse(result.stdout) };
  }

  /** Names of the files that the command keeps between runs. */
  async listStateFiles(): Promise<string[]> {
    return await readdir(join(this.folder, 'state/sendwell')).catch(() => []);
  }
}

export class RunningCli {
  readonly #child: ChildProcess;
  readonly result: Promise<CliResult>;
  /** What it has printed so far. */
  stderr = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    let stdout = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      stdout += bytes.toString();
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      this.stderr += bytes.toString();
    });
    this.result = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr: this.stderr }));
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

export type OwnedCli = Cli & {
  server: ServerProcess;
  /** Signed in as the person whose API key the command line has. */
  owner: Client;
  /** Of the owner. */
  username: string;
};

/** Prepares the command line with an API key of a new person on the Premium plan. `url` can be that of a proxy. */
export async function prepareCli(t: TestContext, server?: ServerProcess, url?: string): Promise<OwnedCli> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-cli-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const host = server ?? (await shareServerProcess());
  const { owner, username } = await createOwner(host);
  const { key } = await owner.call(createApiKey, { body: { name: 'Command line' } });
  const cli = new Cli(folder, { SENDWELL_URL: url ?? host.url, SENDWELL_KEY: key });
  return Object.assign(cli, { server: host, owner, username });
}

async function createOwner(server: ServerProcess): Promise<Pick<OwnedCli, 'owner' | 'username'>> {
  const username = `owner-${randomBytes(4).toString('hex')}`;
  const owner = server.anonymous();
  const email = `${username}@example.org`;
  await owner.call(register, { body: { name: 'Olga Owner', username, email, password: PASSWORD } });
  server.withDatabase((database) =>
    database
      .prepare(`update users set "emailVerified" = 1, tier = 'premium' where username = ?`)
      .run(username),
  );
  await owner.call(login, { body: { username, password: PASSWORD } });
  return { owner, username };
}
