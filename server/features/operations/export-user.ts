import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { OperatorContext } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { findPerson } from '../accounts/index.ts';
import { type Command, EXIT, RefusedError, UsageError } from './command.ts';
import { copyBytes, forEachAtOnce } from './copy-blobs.ts';
import {
  findPersonsIds,
  listPersonsFiles,
  listPersonsTables,
  type PersonsFile,
  type PersonsTable,
  readRows,
  withoutSecrets,
} from './person-queries.ts';

export const exportUser: Command = {
  name: 'export-user',
  usage: '<username or e-mail address> <new folder> [--json]',
  summary: 'write everything that is stored about a person, with their files, into a folder',
  details: [
    '',
    'user.json, a .json file for each kind of record, and files/<transfer>/<path>. Password and key hashes are left',
    'out. Records of transfers hold addresses of those who viewed and downloaded them: read before you hand it on.',
  ].join('\n'),
  async run(call) {
    const [name, target, ...rest] = call.args;
    if (name === undefined || target === undefined || rest.length > 0)
      throw new UsageError('A person and a folder are needed.');
    const context = await call.open();
    const user = await findPerson(context, name);
    if (!user) throw new RefusedError(`Nobody is called ${name}.`);
    const folder = resolve(target);
    if (existsSync(folder) && (await readdir(folder)).length > 0)
      throw new RefusedError(`${folder} is not empty.`);
    await mkdir(join(folder, 'files'), { recursive: true, mode: 0o700 });
    const records = await writeRecords(context, user, folder);
    const { files, missing } = await writeFiles(context, user.id, join(folder, 'files'));
    const lost = missing > 0 ? ` ${missing} files could not be read.` : '';
    call.report(
      { userId: user.id, folder, records, files, missing },
      `Wrote ${records} records and ${files} files of ${user.username} to ${folder}.${lost}`,
    );
    return missing > 0 ? EXIT.found : EXIT.done;
  },
};

async function writeRecords({ db }: OperatorContext, user: UserRow, folder: string): Promise<number> {
  await writeFile(join(folder, 'user.json'), `${JSON.stringify(withoutSecrets(user), null, 2)}\n`, {
    mode: 0o600,
  });
  const ids = await findPersonsIds(db, user.id);
  let records = 1;
  for (const table of await listPersonsTables(db)) {
    const rows = readRows(db, table, ids[table.owner]);
    records += await writeTable(rows, join(folder, fileNameOf(table)));
  }
  return records;
}

/** Nothing is written for a table without rows. */
async function writeTable(rows: AsyncGenerator<Record<string, unknown>>, path: string): Promise<number> {
  const first = await rows.next();
  if (first.done) return 0;
  let count = 1;
  const lines = async function* () {
    yield `[\n${JSON.stringify(first.value)}`;
    for await (const row of rows) {
      count += 1;
      yield `,\n${JSON.stringify(row)}`;
    }
    yield '\n]\n';
  };
  await pipeline(Readable.from(lines()), createWriteStream(path, { mode: 0o600 }));
  return count;
}

function fileNameOf({ table }: PersonsTable): string {
  return `${table.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
}

async function writeFiles({ db, blobs }: OperatorContext, userId: string, folder: string) {
  const tally = { files: 0, missing: 0 };
  const taken: Taken = new Map();
  await forEachAtOnce(listPersonsFiles(db, userId), 2, async (file, block) => {
    const path = join(folder, placeFor(taken, file));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const isWhole =
      file.sizeBytes === 0
        ? await writeFile(path, '').then(() => true)
        : (await copyBytes(blobs, file, { path, block })) === file.crc32;
    tally[isWhole ? 'files' : 'missing'] += 1;
  });
  return tally;
}

/** What stands where, so that nothing is written over, also while two are written at once. */
type Taken = Map<string, 'file' | 'folder'>;

/** Names are the sender's: no part of one leads out of the folder, and none hides another. */
function placeFor(taken: Taken, { transferId, relativePath, position }: PersonsFile): string {
  const parts = relativePath
    .split(/[\\/]/)
    .map((part) => part.replaceAll('\0', '_'))
    .map((part) => (/^\.{0,2}$/.test(part) ? '_' : part));
  for (let wish = parts, prefix = String(position); ; prefix += '_') {
    const path = join(transferId, ...wish);
    if (take(taken, path)) return path;
    wish = [`${prefix}-${parts.at(-1)}`];
  }
}

/** False where a file stands already, or one where a folder would be. */
function take(taken: Taken, path: string): boolean {
  const folders: string[] = [];
  for (let each = dirname(path); each !== '.'; each = dirname(each)) folders.push(each);
  const half = `${path}.tmp`;
  if (taken.has(path) || taken.has(half) || folders.some((each) => taken.get(each) === 'file')) return false;
  for (const each of folders) taken.set(each, 'folder');
  for (const each of [path, half]) taken.set(each, 'file');
  return true;
}
