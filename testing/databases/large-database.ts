import { sql } from 'kysely';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contracts/values/durations.ts';
import { type Db, isSqlite } from '../../server/platform/db/open.ts';
import type { Database } from '../../server/platform/db/schema.ts';
import { hashToken } from '../../server/platform/lib/tokens.ts';

/** Row counts of a large database. All other tables grow in proportion. */
export type LargeSize = {
  users: number;
  transfers: number;
  /** Files of the largest transfer; all others have one file each. */
  filesOfLargest: number;
};

/** SQL expressions by column. `n.i` is the index of the row, starting at 0. */
type Columns<Name extends keyof Database> = Partial<Record<keyof Database[Name], string>>;

/**
 * Fills the tables of a migrated database with rows like those after years of use, in one statement per table. The
 * rows are the same in every run. `now` is the latest instant of the rows in epoch milliseconds.
 */
export async function seedLargeDatabase(db: Db, size: LargeSize, now: number): Promise<void> {
  const indexes = isSqlite(db) ? await dropIndexes(db) : [];
  const { users, transfers, filesOfLargest } = size;
  const files = transfers + filesOfLargest - 1;
  const fill = <Name extends keyof Database>(table: Name, count: number, columns: Columns<Name>) =>
    fillTable(db, { table, count: Math.max(1, Math.floor(count)), columns });
  /** An instant up to `span` milliseconds before `now`, ascending with `i`. */
  const past = (span: number, count: number) =>
    `${now - span} + n.i * ${Math.max(1, Math.floor(span / count))}`;
  const owner = `case when n.i % 10 = 0 then ${id('u', '0')} else ${id('u', `n.i % ${users}`)} end`;
  const YEAR = 365 * DAY_MS;

  await fill('users', users, {
    id: id('u', 'n.i'),
    name: `'Person ' || n.i`,
    username: `'person' || n.i`,
    usernameKey: `'person' || n.i`,
    passwordHash: `'-'`,
    email: `'person' || n.i || '@example.org'`,
    emailKey: `'person' || n.i || '@example.org'`,
    emailVerified: '1',
    isAdmin: 'case when n.i = 0 then 1 else 0 end',
    tier: `case n.i % 7 when 0 then 'premium' when 1 then 'pro' else 'free' end`,
    createdAt: past(YEAR, users),
    deletedAt: `case when n.i % 9999 = 9998 then ${now - DAY_MS} end`,
  });
  await fill('sessions', users * 2, {
    id: id('s', 'n.i'),
    userId: id('u', `n.i % ${users}`),
    tokenHash: `case when n.i = 0 then '${hashToken(FIRST_SESSION)}' else 'hash' || n.i end`,
    createdAt: `case when n.i = 0 then ${now} else ${past(30 * DAY_MS, users * 2)} end`,
    lastSeenAt: past(DAY_MS, users * 2),
    // The first session is valid. A thirtieth of the others have expired.
    expiresAt: `case when n.i = 0 then ${now + YEAR} else ${now} + (n.i % 30 - 1) * ${DAY_MS} end`,
  });
  await fill('uploadInvitations', users / 5, {
    id: id('i', 'n.i'),
    senderId: id('u', `n.i / 10`),
    token: id('it', 'n.i'),
    title: `'Invitation ' || n.i`,
    expiresAt: `${now + 30 * DAY_MS}`,
    createdAt: past(YEAR, users / 5),
  });
  await fill('uploadInvitationVerifications', users, {
    id: id('v', 'n.i'),
    invitationId: id('i', `n.i % ${Math.floor(users / 5)}`),
    recipientEmail: `'visitor' || n.i || '@example.org'`,
    emailKey: `'visitor' || n.i || '@example.org'`,
    codeHash: `''`,
    verified: '1',
    expiresAt: `${now}`,
    createdAt: past(3 * DAY_MS, users),
  });
  // One in a hundred has expired, and one in ten thousand is about to. A few are drafts or waiting for deletion.
  await fill('transfers', transfers, {
    id: id('t', 'n.i'),
    userId: owner,
    token: id('tt', 'n.i'),
    status: `case when n.i % 5000 = 4999 then 'deleting' when n.i % 2000 = 1999 then 'draft' else 'ready' end`,
    title: `case when n.i % 50 = 49 then null else 'Transfer number ' || n.i end`,
    message: `'Here are the files of ' || (n.i % 1000)`,
    recipientEmails: `'[]'`,
    expiresAt: `case when n.i % 100 = 50 then ${now - DAY_MS} - n.i else ${now + DAY_MS} + (n.i % 360) * ${DAY_MS} + n.i end`,
    createdAt: past(YEAR, transfers),
    readyAt: `case when n.i % 2000 = 1999 then null else ${past(YEAR, transfers)} end`,
    downloadCount: 'n.i % 7',
    zipCount: 'n.i % 3',
    maxDownloads: 'case when n.i % 10 = 9 then 100 end',
    fileCount: `case when n.i = 1 then ${filesOfLargest} else 1 end`,
    totalBytes: '(n.i % 1000) * 1000003 + 1',
    reservedBytes: '(n.i % 1000) * 1000003 + 1',
    invitationId: `case when n.i % 40 = 3 then ${id('i', `n.i % ${Math.floor(users / 5)}`)} end`,
    receivedFrom: `case when n.i % 40 = 3 then 'visitor@example.org' end`,
    visitorKey: `case when n.i % 40 = 3 then 'visitor' end`,
    isExpired: 'case when n.i % 100 = 50 and n.i % 200 = 50 then 1 else 0 end',
    takenDownAt: `case when n.i % 3000 = 7 then ${now} end`,
  });
  // Each transfer gets one of the first files. All others belong to the second transfer.
  const transferOfFile = id('t', `case when n.i < ${transfers} then n.i else 1 end`);
  const storageKey = `case when n.i < ${transfers} then ${id('b', 'n.i')} else ${id('b', '1')} end`;
  await fill('files', files, {
    id: id('f', 'n.i'),
    transferId: transferOfFile,
    position: `case when n.i < ${transfers} then 0 else n.i - ${transfers - 1} end`,
    originalName: `'file ' || n.i || '.bin'`,
    relativePath: `'folder/file ' || n.i || '.bin'`,
    mimeType: `'application/octet-stream'`,
    sizeBytes: '1 + n.i % 1000',
    crc32: '0',
    storageKey,
    offset: '0',
    uploadedAt: past(YEAR, files),
    zipBase: '0',
    sha256: `case when n.i % 1000 = 999 then null else '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' end`,
    checkedAt: `case when n.i % 1000 = 999 then null else ${now - DAY_MS} end`,
    // Only a few are due, so that the scrub does not read for its full minute.
    verifyAt: `case when n.i % 100 = 0 then 0 else ${now} + (1 + n.i % 90) * ${DAY_MS} end`,
  });
  // None waits for a scanner, because this server has none.
  await fill('heldFiles', files / 4, {
    fileId: id('f', 'n.i * 4'),
    transferId: id('t', `case when n.i * 4 < ${transfers} then n.i * 4 else 1 end`),
    userId: owner,
    state: `case n.i % 3 when 0 then 'infected' when 1 then 'unscanned' else 'blocked' end`,
    finding: `case n.i % 3 when 0 then 'Eicar-Signature' when 1 then 'too-large' end`,
    sha256: `'fedcba9876543210' || n.i`,
    createdAt: past(YEAR, files / 4),
    foundAt: past(YEAR, files / 4),
    toldAt: `${now}`,
  });
  await fill('contentRules', files / 4, {
    id: id('cr', 'n.i'),
    sha256: `'fedcba9876543210' || n.i`,
    verdict: `case when n.i % 2 = 0 then 'blocked' else 'released' end`,
    reason: `'Reported'`,
    fileName: `'file ' || n.i || '.bin'`,
    sizeBytes: '1 + n.i % 1000',
    crc32: '1 + n.i',
    createdBy: `'ada'`,
    createdAt: past(YEAR, files / 4),
  });
  await fill('uploads', files, {
    id: id('f', 'n.i'),
    userId: owner,
    transferId: transferOfFile,
    state: `case when n.i % 2000 = 1999 then 'open' else 'complete' end`,
    fileName: `'file ' || n.i || '.bin'`,
    relativePath: `'folder/file ' || n.i || '.bin'`,
    mimeType: `'application/octet-stream'`,
    sizeBytes: '1 + n.i % 1000',
    chunkSize: '8388608',
    chunkCount: '1',
    storageKey,
    offset: '0',
    firstSlot: '0',
    position: `case when n.i < ${transfers} then 0 else n.i - ${transfers - 1} end`,
    usageMonth: `'2026-01'`,
    createdAt: past(YEAR, files),
    lastActivityAt: `case when n.i % 2000 = 1999 then ${now - MINUTE_MS} else ${past(YEAR, files)} end`,
  });
  await fill('packs', transfers / 10, {
    transferId: id('t', 'n.i'),
    storageKey: id('b', 'n.i'),
    sizeBytes: '1000',
    slots: '1',
  });
  await fill('filePreviews', files, {
    fileId: id('f', 'n.i'),
    state: `case when n.i % 40 = 1 then 'done' when n.i % 1000 = 2 then 'waiting' else 'none' end`,
    rank: 'n.i % 10',
    createdAt: past(YEAR, files),
  });
  await fill('fileThumbnails', files / 40, {
    id: id('th', 'n.i'),
    fileId: id('f', 'n.i * 40 + 1'),
    storageKey: id('tb', 'n.i'),
    mimeType: `'image/webp'`,
    width: '1',
    height: '1',
    sizeBytes: '1',
    createdAt: past(YEAR, files / 40),
    previewStorageKey: id('pb', 'n.i'),
    previewSizeBytes: '1',
  });
  await fill('transferRecipients', transfers / 2, {
    id: id('r', 'n.i'),
    transferId: id('t', 'n.i'),
    email: `'rex' || n.i || '@example.org'`,
    emailKey: `'rex' || n.i || '@example.org'`,
    token: id('rt', 'n.i'),
    createdAt: past(YEAR, transfers / 2),
  });
  // The latest thousandth is neither counted in the totals nor reported yet.
  const settledBefore = Math.floor(transfers - Math.max(1000, transfers / 1000));
  await fill('downloads', transfers, {
    id: id('d', 'n.i'),
    transferId: id('t', `(n.i * 3) % ${transfers}`),
    zipNumber: '1',
    downloadedAt: past(60 * DAY_MS, transfers),
    ipAddress: `'192.0.2.' || (n.i % 256)`,
    userAgent: `'Mozilla/5.0 (X11; Linux x86_64)'`,
    completedAt: `case when n.i % 10 = 9 then null else ${past(60 * DAY_MS, transfers)} end`,
    sizeBytes: '1000',
    reachedBytes: `case when n.i % 10 = 9 then 600 else 1000 end`,
    noticedAt: `case when n.i < ${settledBefore} then ${now} end`,
    countedAt: `case when n.i < ${settledBefore} then ${now} end`,
    countedCompletedAt: `case when n.i < ${settledBefore} and n.i % 10 <> 9 then ${now} end`,
    country: `case when n.i < ${settledBefore} then 'NO' end`,
  });
  await fill('transferViews', transfers, {
    id: id('vw', 'n.i'),
    transferId: id('t', `(n.i * 7) % ${transfers}`),
    viewedAt: past(60 * DAY_MS, transfers),
    ipAddress: `'192.0.2.' || (n.i % 256)`,
    userAgent: `'Mozilla/5.0 (X11; Linux x86_64)'`,
    referer: `'https://example.org/' || (n.i % 20)`,
    noticedAt: `case when n.i < ${settledBefore} then ${now} end`,
    countedAt: `case when n.i < ${settledBefore} then ${now} end`,
  });
  const day = `'2026-' || substr(cast(101 + n.i % 10 as text), 2) || '-' || substr(cast(101 + n.i % 28 as text), 2)`;
  const dimension = `case n.i % 4 when 0 then 'all' when 1 then 'country' when 2 then 'device' else 'file' end`;
  const value = `case n.i % 4 when 0 then '' when 1 then 'NO' when 2 then 'desktop' else ${id('f', 'n.i')} end`;
  await fill('transferTotals', transfers, {
    transferId: id('t', `n.i`),
    day,
    dimension,
    value,
    views: '1',
  });
  await fill('userTotals', transfers / 2, {
    userId: id('u', `n.i % ${users}`),
    day,
    dimension: `case n.i % 2 when 0 then 'all' else 'transfer' end`,
    value: `case n.i % 2 when 0 then cast(n.i as text) else ${id('t', 'n.i')} end`,
    views: '1',
  });
  await fill('mails', transfers / 2, {
    id: id('m', 'n.i'),
    kind: `'transfer-ready'`,
    transferId: id('t', 'n.i'),
    userId: id('u', `n.i % ${users}`),
    recipient: `'rex' || n.i || '@example.org'`,
    subject: `'Person sent you files, number ' || n.i`,
    text: `''`,
    html: `''`,
    state: `case when n.i % 1000 = 999 then 'failed' else 'sent' end`,
    createdAt: past(89 * DAY_MS, transfers / 2),
    sentAt: past(89 * DAY_MS, transfers / 2),
  });
  await fill('auditLog', transfers / 5, {
    id: id('a', 'n.i'),
    at: past(YEAR, transfers / 5),
    actorId: id('u', '0'),
    actorName: `'person0'`,
    action: `case n.i % 3 when 0 then 'transfer.extend' when 1 then 'user.tier' else 'transfer.delete' end`,
    subject: `'Transfer number ' || n.i`,
    subjectId: id('t', 'n.i'),
    details: `'{}'`,
  });
  await fill('abuseReports', transfers / 500, {
    id: id('ar', 'n.i'),
    transferId: id('t', 'n.i * 10'),
    reason: `'malware'`,
    createdAt: past(YEAR, transfers / 500),
    settledAt: `case when n.i % 2 = 0 then ${now} end`,
  });
  await fill('monthlyUsage', users * 3, {
    userId: id('u', `n.i % ${users}`),
    month: `'2026-0' || (n.i / ${users} + 1)`,
    bytes: '1000',
  });
  await fill('apiKeys', users / 3, {
    id: id('k', 'n.i'),
    userId: id('u', 'n.i'),
    name: `'Key'`,
    keyHash: `'key' || n.i`,
    prefix: `'sw'`,
    scopes: `'["read"]'`,
    createdAt: past(YEAR, users / 3),
  });
  await fill('webhooks', users / 10, {
    id: id('w', 'n.i'),
    userId: id('u', 'n.i'),
    url: `'http://127.0.0.1:9/'`,
    events: `'["transfer.ready"]'`,
    isActive: '0',
    secret: `''`,
    createdAt: past(YEAR, users / 10),
  });
  await fill('webhookDeliveries', transfers / 10, {
    webhookId: id('w', `n.i % ${Math.floor(users / 10)}`),
    id: id('wd', 'n.i'),
    type: `'transfer.ready'`,
    body: `'{}'`,
    state: `case when n.i % 10 = 9 then 'failed' else 'delivered' end`,
    createdAt: past(29 * DAY_MS, transfers / 10),
  });
  await fill('subscriptions', users / 3, {
    id: id('sub', 'n.i'),
    userId: id('u', 'n.i'),
    provider: `'demo'`,
    tier: `'pro'`,
    status: `case n.i % 10 when 9 then 'ended' when 8 then 'incomplete' else 'active' end`,
    providerSubscriptionId: id('psub', 'n.i'),
    priceCents: '900',
    periodStartsAt: `${now - DAY_MS}`,
    renewsAt: `${now + 4 * DAY_MS} + (n.i % 25) * ${DAY_MS}`,
    endedAt: `case n.i % 10 when 9 then ${now - DAY_MS} end`,
    createdAt: past(YEAR, users / 3),
    updatedAt: `${now - HOUR_MS}`,
  });
  await fill('invoices', users, {
    id: id('inv', 'n.i'),
    userId: id('u', `n.i / 3`),
    providerInvoiceId: id('pinv', 'n.i'),
    providerSubscriptionId: id('psub', 'n.i / 3'),
    tier: `'pro'`,
    status: `'paid'`,
    amountCents: '900',
    periodStartsAt: past(YEAR, users),
    periodEndsAt: past(YEAR, users),
    receiptSentAt: `${now}`,
    createdAt: past(YEAR, users),
  });
  await fill('paymentEvents', users, { id: id('pe', 'n.i'), type: `'x'`, createdAt: past(YEAR, users) });
  await fill('emailResends', users, {
    id: id('er', 'n.i'),
    transferId: id('t', 'n.i'),
    userId: id('u', `n.i % ${users}`),
    resentAt: past(YEAR, users),
  });
  await fill('rateCounters', users, {
    key: `'some:' || n.i`,
    windowEndsAt: `${now + HOUR_MS} + n.i`,
    count: '1',
  });
  await fill('idempotencyKeys', users, {
    id: id('ik', 'n.i'),
    userId: id('u', `n.i % ${users}`),
    requestHash: `''`,
    runsUntil: `${now}`,
    outcome: `''`,
    expiresAt: `${now + HOUR_MS} + n.i`,
  });
  await fill('jobs', users / 3, {
    id: id('j', 'n.i'),
    name: `'send-mail'`,
    payload: `'{"mailId":"none"}'`,
    runAt: `${now + DAY_MS} + n.i`,
    failedAt: `case when n.i % 10 = 9 then ${now} end`,
    createdAt: past(DAY_MS, users / 3),
  });
  for (const statement of indexes) await sql.raw(statement).execute(db);
  // Like rows from before the search index existed: triggers have recorded none of them.
  if (isSqlite(db)) await sql`delete from "searchPending"`.execute(db);
}

/** The session of the first user, an administrator who owns a tenth of all transfers. */
export const FIRST_SESSION = 'session-of-the-first-user';

/** The ID of a seeded row, equal to the result of the SQL of `id`. */
export function seededId(prefix: string, index: number): string {
  return String(10_000_000_000 + ((index * 654_435_761) % 4_294_967_291)).slice(1) + suffixOf(prefix);
}

/** Like random IDs, these are not in the order of the rows. */
function id(prefix: string, index: string): string {
  return `substr(cast(10000000000 + ((${index}) * 654435761) % 4294967291 as text), 2) || '${suffixOf(prefix)}'`;
}

function suffixOf(prefix: string): string {
  return prefix.padEnd(16, '0');
}

async function fillTable(
  db: Db,
  { table, count, columns }: { table: string; count: number; columns: Partial<Record<string, string>> },
): Promise<void> {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const conflict = table === 'transferTotals' || table === 'userTotals' ? ' on conflict do nothing' : '';
  await sql
    .raw(
      `insert into "${table}" (${names.join(', ')})
       with recursive n(i) as (
         select cast(0 as bigint) union all select i + 1 from n where i + 1 < ${count}
       ) select ${Object.values(columns).join(', ')} from n where true${conflict}`,
    )
    .execute(db);
}

/** Drops the indexes, because creating them after the rows is much faster. Returns the statements to create them. */
async function dropIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master where type = 'index' and sql is not null`.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(db);
  return rows.map((row) => row.sql);
}
