import { sql } from 'kysely';
import { DAY_MS } from '../../contracts/values/durations.ts';
import type { Context } from '../../server/context.ts';

type ManyFiles = {
  userId: string;
  count: number;
  /** 26 characters, also used as the token. */
  id?: string;
  /** Size of each file. The bytes are not stored. */
  sizeBytes?: number;
  maxDownloads?: number;
};

const UPLOADED_AT = Date.UTC(2026, 2, 1, 12, 30, 10);

/**
 * Inserts a ready transfer with many files in one statement. The files are empty by default, because no bytes are
 * stored. Names include duplicates, case variants, a file named like a folder, and unsafe names.
 */
export async function seedManyFiles(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { userId, count, id = 'm'.repeat(26), sizeBytes = 0, maxDownloads }: ManyFiles,
): Promise<{ id: string; token: string }> {
  const now = clock.now();
  await db
    .insertInto('transfers')
    .values({
      id,
      token: id,
      userId,
      status: 'ready',
      recipientEmails: '[]',
      createdAt: now,
      readyAt: now,
      expiresAt: now + 3 * DAY_MS,
      expectedFiles: count,
      fileCount: count,
      totalBytes: count * sizeBytes,
      reservedBytes: count * sizeBytes,
      maxDownloads: maxDownloads ?? null,
    } as never)
    .execute();
  await appendManyFiles({ db }, { id, from: 0, count, sizeBytes });
  return { id, token: id };
}

/** Adds files at the positions `from` to `from + count - 1`, without counting them in the transfer. */
export async function appendManyFiles(
  { db }: Pick<Context, 'db'>,
  { id, from, count, sizeBytes = 0 }: { id: string; from: number; count: number; sizeBytes?: number },
): Promise<void> {
  const idStart = id.slice(0, 19);
  await sql`
    insert into "files" ("id", "transferId", "position", "originalName", "relativePath", "mimeType", "sizeBytes",
      "crc32", "storageKey", "offset", "uploadedAt")
    with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i + 1 < ${sql.lit(from + count)})
    select ${sql.lit(idStart)} || (1000000 + i), ${sql.lit(id)}, i, 'file-' || i || '.bin', case i % 100
        when 17 then 'Duplicate.txt' when 18 then 'duplicate.TXT' when 19 then 'folder-3'
        when 20 then '../' || i || ' ünsafe:name' else 'folder-' || (i % 50) || '/file-' || i || '.bin' end,
      'application/octet-stream', ${sql.lit(sizeBytes)}, ${sql.lit(sizeBytes)}, 'k-' || i, 0, ${sql.lit(UPLOADED_AT)} + i
    from n`.execute(db);
}
