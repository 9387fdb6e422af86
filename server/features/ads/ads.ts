import { AD_DURATION_DEFAULT, AD_PRIORITY_DEFAULT, type AdInput } from '../../../contracts/plans/ads.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { AdRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineBlobRemoval, enqueueBlobRemoval } from '../../platform/jobs/blob-removal.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { type AdFile, type AdForm, requireKind, storeAdFile } from './ad-files.ts';
import { deleteAdRow, findAd, insertAd, lockAd, updateAd } from './queries.ts';

/** Writes the audit log in the same transaction. */
type RecordChange = (trx: Trx, ad: AdRow) => Promise<void>;

/** Throws AppError `ad_needs_content`, `ad_dates_reversed`, and what `storeAdFile` throws. */
export async function createAd(
  context: Context,
  { input, upload }: Omit<AdForm, 'drop'>,
  recordChange: RecordChange,
): Promise<AdRow> {
  const columns = toColumns(input);
  if (!upload && !input.url) throw new AppError('ad_needs_content');
  return withStoredFile(context, { input, upload }, (file) =>
    transaction(context.db, async (trx) => {
      const fresh = { id: randomId(), createdAt: context.clock.now(), isActive: toFlag(input.isActive) ?? 1 };
      const ad = await insertAd(trx, { ...NO_FILE, ...columns, ...fresh, ...file });
      await recordChange(trx, ad);
      return ad;
    }),
  );
}

/**
 * Replaces all fields of an ad; an absent upload or `isActive` keeps its value. Throws AppError `ad_not_found` and
 * what `createAd` throws.
 */
export async function changeAd(
  context: Context,
  { id, input, upload }: Omit<AdForm, 'drop'> & { id: string },
  recordChange: RecordChange,
): Promise<AdRow> {
  const columns = toColumns(input);
  // Fail before processing the file; the transaction checks again.
  if (!(await findAd(context.db, id))) throw new AppError('ad_not_found');
  return withStoredFile(context, { input, upload }, (file) =>
    transaction(context.db, async (trx) => {
      const current = await lockAd(trx, id);
      if (!current) throw new AppError('ad_not_found');
      requireContent(input, file ?? current);
      const isActive = toFlag(input.isActive) ?? current.isActive;
      const changed = await updateAd(trx, id, { ...columns, isActive, ...file });
      if (file) await enqueueBlobRemoval(trx, removeAdFileJob, current.storageKey);
      await recordChange(trx, changed!);
      return changed!;
    }),
  );
}

export function setAdActive(
  { db }: Pick<Context, 'db'>,
  { id, isActive }: { id: string; isActive: boolean },
  recordChange: RecordChange,
): Promise<AdRow> {
  return transaction(db, async (trx) => {
    const ad = await updateAd(trx, id, { isActive: isActive ? 1 : 0 });
    if (!ad) throw new AppError('ad_not_found');
    await recordChange(trx, ad);
    return ad;
  });
}

/** A job removes the file. */
export async function deleteAd(
  { db }: Pick<Context, 'db'>,
  id: string,
  recordChange: RecordChange,
): Promise<void> {
  await transaction(db, async (trx) => {
    const ad = await deleteAdRow(trx, id);
    if (!ad) throw new AppError('ad_not_found');
    await enqueueBlobRemoval(trx, removeAdFileJob, ad.storageKey);
    await recordChange(trx, ad);
  });
}

/** Stores the file before the row that refers to it, and removes it if writing the row fails. */
async function withStoredFile(
  context: Context,
  { input, upload }: Omit<AdForm, 'drop'>,
  write: (file: AdFile | undefined) => Promise<AdRow>,
): Promise<AdRow> {
  const file = upload && (await storeAdFile(context, upload, input.type));
  try {
    return await write(file);
  } catch (error) {
    if (file) await context.blobs.remove(file.storageKey);
    throw error;
  }
}

const NO_FILE: AdFile = { storageKey: null, filename: null, mimeType: null, sizeBytes: null };

function toColumns({ type, title, url, videoType, duration, priority, startDate, endDate }: AdInput) {
  const starts = toInstant(startDate);
  const ends = toInstant(endDate);
  if (starts !== null && ends !== null && ends <= starts) throw new AppError('ad_dates_reversed');
  return {
    type,
    title,
    // Normalizes to ASCII without characters that a database or header would refuse.
    url: url === undefined ? null : new URL(url).href,
    videoType: type === 'video' ? (videoType ?? null) : null,
    durationSeconds: duration ?? AD_DURATION_DEFAULT,
    priority: priority ?? AD_PRIORITY_DEFAULT,
    startDate: starts,
    endDate: ends,
  };
}

function requireContent({ url, type }: AdInput, { storageKey, mimeType }: AdFile): void {
  if (storageKey === null && !url) throw new AppError('ad_needs_content');
  if (mimeType !== null) requireKind(type, mimeType);
}

const removeAdFileJob = defineBlobRemoval('remove-ad-file');

export const adJobs = [removeAdFileJob];

function toInstant(date: string | undefined): number | null {
  return date === undefined ? null : new Date(date).getTime();
}

function toFlag(value: boolean | undefined): 0 | 1 | undefined {
  return value === undefined ? undefined : value ? 1 : 0;
}
