/** The command line, beside curl and beside itself without encryption. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { GIB } from '../../contracts/values/sizes.ts';
import { atLeast, type Contender, type Row } from '../measure.ts';
import { filePath, type Sendwell, type Stage, sending, warmMemory } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMMAND = 'cli/sendwell.js';

export function commandRows(stage: Stage): Record<string, () => Promise<Row>> {
  return {
    '`sendwell receive` 1 GiB': () => receive(stage),
    '`sendwell send --encrypt` 1 GiB': () => sendEncrypted(stage),
    '`sendwell receive` 1 GiB, encrypted': () => receiveEncrypted(stage),
  };
}

/** The command checks the SHA-256 of what it received; curl checks nothing. */
async function receive(stage: Stage): Promise<Row> {
  const { server, client } = await stage.start();
  const sent = await client.sendFile('large.bin', GIB, stage.block.subarray(0, CHUNK_BYTES), 4);
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    unit: 'MB/s',
    amount: GIB / 1e6,
    beforeEach: warmMemory,
    contenders: [
      receiving(stage, 'sendwell receive', `${origin}/download/${sent.token}`),
      intoFolder(stage, 'curl', 'curl', (folder) => [
        '-sfo',
        join(folder, 'large.bin'),
        origin + filePath(sent),
      ]),
    ],
    goals: [atLeast(0.8, 'curl')],
  };
}

/** Into a new transfer each time. */
async function sendEncrypted(stage: Stage): Promise<Row> {
  const sendwell = await stage.start();
  const send = await prepareToSend(stage, sendwell);
  const contender = (name: string, options: string[]): Contender =>
    sending(name, sendwell, async () => {
      const { token, id } = await send(options);
      return { token, id, firstFileId: '' };
    });
  return {
    unit: 'MB/s',
    amount: GIB / 1e6,
    beforeEach: warmMemory,
    contenders: [contender('sendwell send --encrypt', ['--encrypt']), contender('sendwell send', [])],
    goals: [atLeast(0.8, 'sendwell send')],
  };
}

async function receiveEncrypted(stage: Stage): Promise<Row> {
  const send = await prepareToSend(stage, await stage.start());
  const [sealed, plain] = [await send(['--encrypt']), await send([])];
  return {
    unit: 'MB/s',
    amount: GIB / 1e6,
    beforeEach: warmMemory,
    contenders: [
      receiving(stage, 'sendwell receive, encrypted', sealed.link),
      receiving(stage, 'sendwell receive', plain.link),
    ],
    goals: [atLeast(0.8, 'sendwell receive')],
  };
}

type Sent = { token: string; id: string; link: string };

async function prepareToSend(
  stage: Stage,
  { server, client }: Sendwell,
): Promise<(options: string[]) => Promise<Sent>> {
  const file = join(stage.folder, 'outgoing.bin');
  rmSync(file, { force: true });
  for (let part = 0; part < GIB / stage.block.length; part += 1) appendFileSync(file, stage.block);
  const env = {
    ...process.env,
    HOME: makeHome(stage),
    SENDWELL_URL: `http://127.0.0.1:${server.port}`,
    SENDWELL_KEY: await client.createKey(),
  };
  return async (options) => {
    const args = [COMMAND, 'send', file, '--json', ...options];
    return JSON.parse(await finished(spawn(process.execPath, args, { cwd: ROOT, env })));
  };
}

const receiving = (stage: Stage, name: string, link: string): Contender =>
  intoFolder(stage, name, process.execPath, (folder) => [COMMAND, 'receive', link, '--to', folder]);

/** Into a new folder each time. */
function intoFolder(
  stage: Stage,
  name: string,
  program: string,
  toArgs: (folder: string) => string[],
): Contender {
  const env = { ...process.env, HOME: makeHome(stage) };
  let folder = '';
  return {
    name,
    pids: [],
    run: async () => {
      folder = mkdtempSync(join(stage.folder, 'received-'));
      await finished(spawn(program, toArgs(folder), { cwd: ROOT, env }));
      return undefined;
    },
    tidy: async () => rmSync(folder, { recursive: true }),
  };
}

function makeHome({ folder }: Stage): string {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  return home;
}

/** Resolves with what it printed. */
export async function finished(child: ChildProcess): Promise<string> {
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (bytes: Buffer) => {
    output += bytes.toString();
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    errors = (errors + bytes.toString()).slice(-2_000);
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}: ${errors}`);
  return output;
}
