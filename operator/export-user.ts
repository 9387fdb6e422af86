import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Argument } from 'commander';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import type { OperatorContext } from '../server/context.ts';
import { findPerson } from '../server/features/accounts/index.ts';
import type { Db } from '../server/platform/db/open.ts';
import type { Database, FileRow, UserRow } from '../server/platform/db/schema.ts';
import type { Command, CommandCall } from './command.ts';
import { copyBytes, forEachAtOnce } from './stored-bytes.ts';

export const exportUser: Command = {
  name: 'export-user',
  summary: 'Export everything stored about a user, with their files',
  details: [
    'Writes user.json, a .json file for each kind of record, and files/<transfer>/<path>. Leaves out hashes of ' +
      'passwords and keys. Records of transfers contain the addresses of people who viewed and downloaded them, so ' +
      'check the export before you hand it over.',
  ],
  arguments: [
    new Argument('<user>', 'Username or email address'),
    new Argument('<folder>', 'A new or empty folder'),
  ],
  async run(call: CommandCall<[string, string]>) {
    const [name, target] = call.args;
    const context = await call.open();
    const user = await findPerson(context, name);
    if (!user) throw new CommandError(EXIT.failed, `There is no user ${name}.`);
    const folder = resolve(target);
    if (existsSync(folder) && (await readdir(folder)).length > 0)
      throw new CommandError(EXIT.failed, `${folder} is not empty.`);
    await mkdir(join(folder, 'files'), { recursive: true, mode: 0o700 });
    const records = await writeRecords(context, user, folder);
    const { files, missing } = await writeFiles(context, user.id, join(folder, 'files'));
    const failures = missing > 0 ? ` ${missing} files could not be read.` : '';
    call.report(
      { userId: user.id, folder, records, files, missing },
      `Wrote ${records} records and ${files} files of ${user.username} to ${folder}.${failures}`,
    );
    return missing > 0 ? EXIT.found : EXIT.ok;
  },
};

async function writeRecords({ db }: OperatorContext, user: UserRow, folder: string): Promise<number> {
  await writeFile(join(folder, 'user.json'), `${JSON.stringify(withoutSecrets(user), null, 2)}\n`, {
    mode: 0o600,
  });
  const ids = await listOwnIds(db, user.id);
  let records = 1;
  for (const table of await listUserTables(db)) {
    records += await writeTable(readRows(db, table, ids), join(folder, fileNameOf(table)));
  }
  return records;
}

/** Writes no file if the table has no rows. Returns the number of rows. */
async function writeTable(rows: AsyncGenerator<Row>, path: string): Promise<number> {
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

function fileNameOf({ table }: UserTable): string {
  return `${table.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
}

async function writeFiles({ db, blobs }: OperatorContext, userId: string, folder: string) {
  const tally = { files: 0, missing: 0 };
  const paths: Paths = new Map();
  await forEachAtOnce(listUserFiles(db, userId), 2, async (file, block) => {
    const path = join(folder, reservePath(paths, file));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const isWhole =
      file.sizeBytes === 0
        ? await writeFile(path, '').then(() => true)
        : (await copyBytes(blobs, file, { path, block })) === file.crc32;
    tally[isWhole ? 'files' : 'missing'] += 1;
  });
  return tally;
}

/** Includes files that are still being written. */
type Paths = Map<string, 'file' | 'folder'>;

/** The names come from senders: no part may lead out of the folder, and no file may overwrite another. */
function reservePath(paths: Paths, { transferId, relativePath, position }: UserFile): string {
  const parts = relativePath
    .split(/[\\/]/)
    .map((part) => part.replaceAll('\0', '_'))
    .map((part) => (/^\.{0,2}$/.test(part) ? '_' : part));
  for (let candidate = parts, prefix = String(position); ; prefix += '_') {
    const path = join(transferId, ...candidate);
    if (tryReserve(paths, path)) return path;
    candidate = [`${prefix}-${parts.at(-1)}`];
  }
}

/** Returns false if the path is taken or one of its folders is a file. */
function tryReserve(paths: Paths, path: string): boolean {
  const folders: string[] = [];
  for (let each = dirname(path); each !== '.'; each = dirname(each)) folders.push(each);
  const draft = `${path}.tmp`;
  if (paths.has(path) || paths.has(draft) || folders.some((each) => paths.get(each) === 'file')) return false;
  for (const each of folders) paths.set(each, 'folder');
  for (const each of [path, draft]) paths.set(each, 'file');
  return true;
}

type Row = Record<string, unknown>;

/** Each column has the id of the user or of an object that the user owns. */
const OWNERS = [
  'userId',
  'senderId',
  'actorId',
  'transferId',
  'invitationId',
  'fileId',
  'webhookId',
] as const;
type Owner = (typeof OWNERS)[number];
type OwnIds = Record<Owner, Set<string>>;

type UserTable = { table: string; owners: Owner[]; hasId: boolean };

const PAGE = 500;
/** Credentials and internals. */
const OMITTED_COLUMNS = /hash$|secret|^sealed|storageKey|^leaseId$|^unsubscribeToken$|^multipartId$|^etag$/i;

/** Reads the database catalog, so that tables of later versions are exported too. */
async function listUserTables(db: Db): Promise<UserTable[]> {
  const tables = await db.introspection.getTables();
  return tables.flatMap(({ name, columns }) => {
    const names = new Set(columns.map((column) => column.name));
    const owners = OWNERS.filter((each) => names.has(each));
    if (owners.length === 0 || name === 'users') return [];
    return [{ table: name, owners, hasId: names.has('id') }];
  });
}

/**
 * Yields each row once that belongs to the user by any of its owners: a mail about a transfer has no user, for example.
 */
async function* readRows(db: Db, table: UserTable, ids: OwnIds): AsyncGenerator<Row> {
  for (const [index, owner] of table.owners.entries()) {
    const earlier = table.owners.slice(0, index);
    for await (const row of readRowsOf(db, table, owner, [...ids[owner]])) {
      if (!earlier.some((each) => ids[each].has(String(row[each])))) yield withoutSecrets(row);
    }
  }
}

/** Reads in pages if the table has an id, which may be unique only among the rows of one owner. */
async function* readRowsOf(
  db: Db,
  { table, hasId }: UserTable,
  owner: Owner,
  ids: string[],
): AsyncGenerator<Row> {
  for (let start = 0; start < ids.length; start += PAGE) {
    const batch = ids.slice(start, start + PAGE);
    let last: Row = { id: '', [owner]: '' };
    for (;;) {
      const page = (await db
        .selectFrom(table as keyof Database)
        .selectAll()
        .where(owner as never, 'in', batch as never)
        .$if(hasId, (query) =>
          query
            .where(({ eb, refTuple, tuple }) =>
              eb(refTuple('id' as never, owner as never), '>', tuple(last.id as never, last[owner] as never)),
            )
            .orderBy('id' as never)
            .orderBy(owner as never)
            .limit(PAGE),
        )
        .execute()) as Row[];
      yield* page;
      if (!hasId || page.length < PAGE) break;
      last = page.at(-1)!;
    }
  }
}

function withoutSecrets(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !OMITTED_COLUMNS.test(name)));
}

async function listOwnIds(db: Db, userId: string): Promise<OwnIds> {
  const transfers = await db.selectFrom('transfers').select('id').where('userId', '=', userId).execute();
  const invitations = await db
    .selectFrom('uploadInvitations')
    .select('id')
    .where('senderId', '=', userId)
    .execute();
  const files = await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select('files.id')
    .where('transfers.userId', '=', userId)
    .execute();
  const webhooks = await db.selectFrom('webhooks').select('id').where('userId', '=', userId).execute();
  const idsOf = (rows: { id: string }[]) => new Set(rows.map(({ id }) => id));
  const user = new Set([userId]);
  return {
    userId: user,
    senderId: user,
    actorId: user,
    transferId: idsOf(transfers),
    invitationId: idsOf(invitations),
    fileId: idsOf(files),
    webhookId: idsOf(webhooks),
  };
}

const FILE_COLUMNS = [
  'id',
  'transferId',
  'position',
  'relativePath',
  'storageKey',
  'offset',
  'sizeBytes',
  'crc32',
] as const satisfies (keyof FileRow)[];

type UserFile = Pick<FileRow, (typeof FILE_COLUMNS)[number]>;

async function* listUserFiles(db: Db, userId: string): AsyncGenerator<UserFile> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('files')
      .innerJoin('transfers', 'transfers.id', 'files.transferId')
      .select(FILE_COLUMNS.map((column) => `files.${column}` as const))
      .where('transfers.userId', '=', userId)
      .where('transfers.status', '<>', 'deleting')
      .where('files.id', '>', after)
      .orderBy('files.id')
      .limit(PAGE)
      .execute();
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}
