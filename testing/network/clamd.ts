import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clamd } from '../../server/platform/scanning/clamd.ts';

const CLAMD = '/usr/sbin/clamd';
/** Only a daemon that hangs takes longer. */
const READY_WITHIN_MS = 60_000;

/** The harmless test file that every scanner detects (eicar.org), split so that this source is not detected. */
export const EICAR = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE', '!$H+H*'].join(''),
);
export const EICAR_SIGNATURE = 'Sendwell.Test.Eicar.UNOFFICIAL';

/** Bytes that match the second signature, which is made up. */
export const OTHER_MALWARE = Buffer.from('sendwell-made-up-malware-signature');
export const OTHER_SIGNATURE = 'Sendwell.Test.Other.UNOFFICIAL';

export type TestClamd = {
  url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** If false, `bin/install-test-servers.ts` could not install ClamAV, and tests with it are skipped. */
export function isClamdInstalled(): boolean {
  return existsSync(CLAMD);
}

/**
 * Starts Debian's clamd on a socket in a temporary folder, with a database of two signatures of our own. The official
 * database is a download of 300 MB and needs a gigabyte of memory.
 */
export async function startClamd({ streamMaxLength = '4M' } = {}): Promise<TestClamd> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-clamd-'));
  const socket = join(folder, 'clamd.sock');
  const config = join(folder, 'clamd.conf');
  await mkdir(join(folder, 'database'));
  const signature = (name: string, bytes: Buffer) => `${name}:0:*:${bytes.toString('hex')}\n`;
  await writeFile(
    join(folder, 'database', 'test.ndb'),
    signature('Sendwell.Test.Eicar', EICAR) + signature('Sendwell.Test.Other', OTHER_MALWARE),
  );
  const settings = {
    Foreground: 'yes',
    LocalSocket: socket,
    DatabaseDirectory: join(folder, 'database'),
    TemporaryDirectory: folder,
    User: userInfo().username,
    StreamMaxLength: streamMaxLength,
    AlertEncrypted: 'yes',
    SelfCheck: '0',
    MaxThreads: '2',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(config, lines.join(''));
  let child: ChildProcess | undefined;
  const cleanUpAtExit = () => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', cleanUpAtExit);
  const start = async () => {
    child = spawn(CLAMD, ['--config-file', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    await waitUntilReady(child, socket);
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child!.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  const close = async () => {
    await kill();
    process.off('exit', cleanUpAtExit);
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `clamd://${socket}`, start, kill, close };
}

async function waitUntilReady(child: ChildProcess, path: string): Promise<void> {
  let output = '';
  child.stderr?.on('data', (data) => {
    output += data;
  });
  const clamd = new Clamd({ path });
  for (let waitedMs = 0; waitedMs < READY_WITHIN_MS; waitedMs += 50) {
    if (child.exitCode !== null) throw new Error(`clamd ended: ${output}`);
    try {
      return await clamd.ping();
    } catch {
      await sleep(50);
    }
  }
  throw new Error(`clamd does not answer: ${output}`);
}
