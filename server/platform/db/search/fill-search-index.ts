import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import { type Db, isSqlite, type Trx } from '../open.ts';
import { FILES_PER_SEARCH } from '../queries/text-search.ts';
import { transaction } from '../transaction.ts';
import { ANY_TEXT, foldForIndex, type SearchKind, type SearchTables } from './search-documents.ts';

const KINDS: SearchKind[] = ['users', 'auditLog', 'mails', 'transfers'];

const ROWS_PER_SLICE = 100;
/** Files may have long names, so a slice with many transfers of many files would block requests. */
const FILES_PER_SLICE = 2_000;
const CHARACTERS_MAX = 150_000;
/** Leaves most of the time to requests. */
const PAUSE_MS = 10;

/** Indexes changed rows, then rows from before the index existed. Commits after each slice of a few milliseconds. */
export async function fillSearchIndex(db: Db, signal?: AbortSignal): Promise<void> {
  if (!isSqlite(db)) return;
  for (const kind of KINDS)
    for (const fill of [indexPending, indexExisting])
      while (!signal?.aborted && (await transaction(db, (trx) => fill(trx, kind)))) await sleep(PAUSE_MS);
}

/** Returns false if nothing is left. */
async function indexPending(trx: Trx, kind: SearchKind): Promise<boolean> {
  const tables = searchTables(trx);
  const rows = await tables
    .selectFrom('searchPending')
    .select('id')
    .where('kind', '=', kind)
    .limit(ROWS_PER_SLICE)
    .execute();
  if (rows.length === 0) return false;
  const ids = await cutSlice(
    trx,
    kind,
    rows.map(({ id }) => id),
  );
  await indexRows(trx, kind, ids);
  await tables.deleteFrom('searchPending').where('kind', '=', kind).where('id', 'in', ids).execute();
  return true;
}

async function indexExisting(trx: Trx, kind: SearchKind): Promise<boolean> {
  const tables = searchTables(trx);
  const progress = await tables
    .selectFrom('searchProgress')
    .select(['afterId', 'isComplete'])
    .where('kind', '=', kind)
    .executeTakeFirst();
  if (!progress || progress.isComplete === 1) return false;
  const rows = await trx
    .selectFrom(kind)
    .select('id')
    .where('id', '>', progress.afterId)
    .orderBy('id')
    .limit(ROWS_PER_SLICE)
    .execute();
  const ids = await cutSlice(
    trx,
    kind,
    rows.map(({ id }) => id),
  );
  if (ids.length > 0) await indexRows(trx, kind, ids);
  const afterId = ids.at(-1) ?? progress.afterId;
  await tables
    .updateTable('searchProgress')
    .set({ afterId, isComplete: ids.length === 0 ? 1 : 0 })
    .where('kind', '=', kind)
    .execute();
  return ids.length > 0;
}

/** Returns the first ids, whose files are few enough for one slice. */
async function cutSlice(trx: Trx, kind: SearchKind, ids: string[]): Promise<string[]> {
  if (kind !== 'transfers' || ids.length === 0) return ids;
  const rows = await trx.selectFrom('transfers').select(['id', 'fileCount']).where('id', 'in', ids).execute();
  const counts = new Map(rows.map(({ id, fileCount }) => [id, fileCount]));
  let files = 0;
  const end = ids.findIndex((id) => {
    const count = counts.get(id) ?? 0;
    files += count > FILES_PER_SEARCH ? 0 : count;
    return files > FILES_PER_SLICE;
  });
  return end < 0 ? ids : ids.slice(0, Math.max(1, end));
}

/** Deleted rows lose their document. */
async function indexRows(trx: Trx, kind: SearchKind, ids: string[]): Promise<void> {
  const texts = await READERS[kind](trx, ids);
  const tables = searchTables(trx);
  const index = sql.table(`search_${kind}`);
  const known = await tables
    .selectFrom('searchDocuments')
    .select(['document', 'id'])
    .where('kind', '=', kind)
    .where('id', 'in', ids)
    .execute();
  const documents = new Map(known.map(({ id, document }) => [id, document]));
  const wanted = ids.filter((id) => texts.has(id));
  const added = wanted.filter((id) => !documents.has(id));
  const gone = known.filter(({ id }) => !texts.has(id)).map(({ document }) => document);
  for (const { document } of known) await sql`delete from ${index} where rowid = ${document}`.execute(trx);
  if (gone.length > 0) await tables.deleteFrom('searchDocuments').where('document', 'in', gone).execute();
  if (added.length > 0) {
    const rows = await tables
      .insertInto('searchDocuments')
      .values(added.map((id) => ({ kind, id })))
      .returning(['document', 'id'])
      .execute();
    for (const { id, document } of rows) documents.set(id, document);
  }
  for (const id of wanted)
    await sql`insert into ${index} (rowid, "text") values (${documents.get(id)!}, ${toDocument(texts.get(id)!)})`.execute(
      trx,
    );
}

function toDocument(texts: (string | null)[]): string {
  let characters = 0;
  for (const text of texts) characters += text?.length ?? 0;
  return characters > CHARACTERS_MAX ? ANY_TEXT : foldForIndex(texts.filter(Boolean).join('\n'));
}

type Texts = Map<string, (string | null)[]>;

const READERS: Record<SearchKind, (trx: Trx, ids: string[]) => Promise<Texts>> = {
  transfers: readTransfers,
  async users(trx, ids) {
    const rows = await trx
      .selectFrom('users')
      .select(['id', 'name', 'username', 'email'])
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, name, username, email }) => [id, [name, username, email]]));
  },
  async mails(trx, ids) {
    const rows = await trx
      .selectFrom('mails')
      .select(['id', 'recipient', 'subject'])
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, recipient, subject }) => [id, [recipient, subject]]));
  },
  async auditLog(trx, ids) {
    const rows = await trx
      .selectFrom('auditLog')
      .select(['id', 'subject', 'actorName', 'subjectId'])
      .where('id', 'in', ids)
      .execute();
    return new Map(
      rows.map(({ id, subject, actorName, subjectId }) => [id, [subject, actorName, subjectId]]),
    );
  },
};

/**
 * Lists show ready transfers only. Those with thousands of files are in an index of their own; the paths of encrypted ones
 * are ids.
 */
async function readTransfers(trx: Trx, ids: string[]): Promise<Texts> {
  const rows = await trx
    .selectFrom('transfers')
    .select(['id', 'title', 'message', 'receivedFrom', 'fileCount', 'encryption', 'status'])
    .where('id', 'in', ids)
    .execute();
  const ready = rows.filter(({ status }) => status === 'ready');
  const texts: Texts = new Map(
    ready.map(({ id, title, message, receivedFrom }) => [id, [title, message, receivedFrom]]),
  );
  const recipients = await trx
    .selectFrom('transferRecipients')
    .select(['transferId', 'email'])
    .where('transferId', 'in', ids)
    .execute();
  for (const { transferId, email } of recipients) texts.get(transferId)?.push(email);
  const small = ready
    .filter(({ fileCount, encryption }) => fileCount <= FILES_PER_SEARCH && encryption === null)
    .map(({ id }) => id);
  if (small.length === 0) return texts;
  const files = await trx
    .selectFrom('files')
    .select(['transferId', 'relativePath'])
    .where('transferId', 'in', small)
    .execute();
  for (const { transferId, relativePath } of files) texts.get(transferId)?.push(relativePath);
  return texts;
}

function searchTables(trx: Trx): Transaction<SearchTables> {
  return trx.withTables<SearchTables>() as unknown as Transaction<SearchTables>;
}
