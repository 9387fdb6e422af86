import type { Db } from '../server/platform/db/open.ts';
import type { Database, FileRow } from '../server/platform/db/schema.ts';

type Row = Record<string, unknown>;

/** How a table's rows belong to a person: by a column that holds an id of theirs. */
const OWNERS = ['userId', 'senderId', 'actorId', 'transferId', 'invitationId', 'fileId'] as const;
export type Owner = (typeof OWNERS)[number];

export type PersonsTable = { table: string; owner: Owner; hasId: boolean };

const PAGE = 500;
/** Proofs of identity and what only the machine room knows; nothing of it says anything about a person. */
const LEFT_OUT = /hash$|secret|storageKey|^leaseId$|^unsubscribeToken$|^multipartId$|^etag$/i;

/** Every table whose rows belong to a person, also those that later versions will add. */
export async function listPersonsTables(db: Db): Promise<PersonsTable[]> {
  const tables = await db.introspection.getTables();
  return tables.flatMap(({ name, columns }) => {
    const names = new Set(columns.map((column) => column.name));
    const owner = OWNERS.find((each) => names.has(each));
    return owner === undefined || name === 'users' ? [] : [{ table: name, owner, hasId: names.has('id') }];
  });
}

/** The person's rows of a table, without secrets, page by page. `ids` are those that `owner` may hold. */
export async function* readRows(
  db: Db,
  { table, owner, hasId }: PersonsTable,
  ids: string[],
): AsyncGenerator<Row> {
  for (let start = 0; start < ids.length; start += PAGE) {
    const some = ids.slice(start, start + PAGE);
    for (let after = ''; ; ) {
      const page = (await db
        .selectFrom(table as keyof Database)
        .selectAll()
        .where(owner as never, 'in', some as never)
        .$if(hasId, (query) =>
          query
            .where('id' as never, '>', after as never)
            .orderBy('id' as never)
            .limit(PAGE),
        )
        .execute()) as Row[];
      for (const row of page) yield withoutSecrets(row);
      if (!hasId || page.length < PAGE) break;
      after = String(page.at(-1)!.id);
    }
  }
}

export function withoutSecrets(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !LEFT_OUT.test(name)));
}

/** Ids of all that is a person's, in the columns that name it. */
export async function findPersonsIds(db: Db, userId: string): Promise<Record<Owner, string[]>> {
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
  const [own, idsOf] = [[userId], (rows: { id: string }[]) => rows.map(({ id }) => id)];
  return {
    userId: own,
    senderId: own,
    actorId: own,
    transferId: idsOf(transfers),
    invitationId: idsOf(invitations),
    fileId: idsOf(files),
  };
}

export type PersonsFile = Pick<
  FileRow,
  'id' | 'transferId' | 'position' | 'relativePath' | 'storageKey' | 'offset' | 'sizeBytes' | 'crc32'
>;

export async function* listPersonsFiles(db: Db, userId: string): AsyncGenerator<PersonsFile> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('files')
      .innerJoin('transfers', 'transfers.id', 'files.transferId')
      .select([
        'files.id',
        'transferId',
        'position',
        'relativePath',
        'storageKey',
        'offset',
        'sizeBytes',
        'crc32',
      ])
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
