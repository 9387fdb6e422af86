import { z } from 'zod';
import type { Db } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import type { VerifiedFile } from './queries.ts';
import type { Progress } from './read-sums.ts';

const KEY = 'scrub';

const PartialReading = z.object({
  fileId: z.string(),
  storageKey: z.string(),
  offset: z.number(),
  suspectedAt: z.number().nullable(),
  damagedAt: z.number().nullable(),
  doneBytes: z.number(),
  crc32: z.number(),
});

const ScrubState = z.object({
  /** When the first scrub ran: files from before cannot be overdue for longer. */
  since: z.number(),
  /** The large file in the middle of which the last run stopped. */
  partial: PartialReading.nullable(),
});

/** What the scrub remembers between runs, whichever process makes them. */
export type ScrubState = z.infer<typeof ScrubState>;

/** undefined before the first run. */
export async function findScrubState(db: Db): Promise<ScrubState | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  return row && ScrubState.safeParse(JSON.parse(row.value)).data;
}

/** Only the process that holds the job's lease writes it. */
export async function saveScrubState(db: Db, state: ScrubState, now: Instant): Promise<void> {
  const row = { value: JSON.stringify(state), updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: KEY, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

/**
 * Where to continue with a file; undefined when it is to be read from its start. What was read before the file was
 * suspected, damaged or moved does not count.
 */
export function findProgress({ partial }: ScrubState, file: VerifiedFile): Progress | undefined {
  const isSame =
    partial !== null &&
    partial.fileId === file.id &&
    partial.storageKey === file.storageKey &&
    partial.offset === file.offset &&
    partial.suspectedAt === file.suspectedAt &&
    partial.damagedAt === file.damagedAt;
  return isSame ? { doneBytes: partial.doneBytes, crc32: partial.crc32 } : undefined;
}

export function toPartial(file: VerifiedFile, progress: Progress): ScrubState['partial'] {
  const { id: fileId, storageKey, offset, suspectedAt, damagedAt } = file;
  return { fileId, storageKey, offset, suspectedAt, damagedAt, ...progress };
}
