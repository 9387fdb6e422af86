import { type Kysely, sql } from 'kysely';
import { isSqlite } from '../open.ts';

const TABLES = ['transfers', 'users', 'mails', 'auditLog'] as const;

/**
 * SQLite only. Triggers record the rows that have changed, so that writes by the previous release are recorded, too.
 * They call no functions, because other processes register different ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isSqlite(db)) return;
  const run = (statement: string) => sql.raw(statement).execute(db);
  await run(`create table "searchPending" (
    "kind" text not null, "id" text not null, primary key ("kind", "id")) without rowid`);
  await run(`create table "searchDocuments" (
    "document" integer primary key, "kind" text not null, "id" text not null, unique ("kind", "id"))`);
  await run(`create table "searchProgress" (
    "kind" text primary key, "afterId" text not null, "isComplete" integer not null)`);
  for (const table of TABLES) {
    await run(`create virtual table "search_${table}" using fts5(
      "text", tokenize = 'trigram', content = '', contentless_delete = 1, detail = 'none')`);
    await run(`insert into "searchProgress" ("kind", "afterId", "isComplete") values ('${table}', '', 0)`);
  }
  const trigger = (name: string, when: string, { kind, id }: { kind: string; id: string }) =>
    run(`create trigger "search_${name}" ${when} begin
      insert into "searchPending" ("kind", "id") values ('${kind}', ${id}) on conflict do nothing; end`);
  const changed = (columns: string[]) =>
    columns.map((column) => `old."${column}" is not new."${column}"`).join(' or ');
  const follow = async (table: string, columns: string[]) => {
    const names = columns.map((column) => `"${column}"`).join(', ');
    await trigger(`${table}_inserted`, `after insert on "${table}"`, { kind: table, id: 'new."id"' });
    await trigger(`${table}_updated`, `after update of ${names} on "${table}" when ${changed(columns)}`, {
      kind: table,
      id: 'new."id"',
    });
    await trigger(`${table}_deleted`, `after delete on "${table}"`, { kind: table, id: 'old."id"' });
  };
  await follow('users', ['name', 'username', 'email']);
  await follow('mails', ['recipient', 'subject']);
  await follow('auditLog', ['subject', 'actorName', 'subjectId']);
  // Searches find ready transfers only, so drafts cost nothing before they become ready.
  const transfer = { kind: 'transfers', id: 'new."id"' };
  const columns = ['title', 'message', 'receivedFrom', 'status', 'fileCount'];
  await trigger('transfers_inserted', `after insert on "transfers" when new."status" = 'ready'`, transfer);
  await trigger(
    'transfers_updated',
    `after update of ${columns.map((column) => `"${column}"`).join(', ')} on "transfers"
      when (old."status" = 'ready' or new."status" = 'ready') and (${changed(columns)})`,
    transfer,
  );
  await trigger('transfers_deleted', `after delete on "transfers" when old."status" = 'ready'`, {
    kind: 'transfers',
    id: 'old."id"',
  });
  const ofTransfer = { kind: 'transfers', id: 'new."transferId"' };
  const isReady = `exists (select 1 from "transfers" where "id" = new."transferId" and "status" = 'ready')`;
  await trigger('files_inserted', `after insert on "files" when ${isReady}`, ofTransfer);
  await trigger(
    'files_updated',
    `after update of "relativePath" on "files" when ${changed(['relativePath'])}`,
    ofTransfer,
  );
  await trigger('recipients_inserted', `after insert on "transferRecipients" when ${isReady}`, ofTransfer);
  await trigger('recipients_updated', `after update of "email" on "transferRecipients"`, ofTransfer);
}
