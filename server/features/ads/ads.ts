import { z } from 'zod';
import { AD_DURATION_DEFAULT, AD_PRIORITY_DEFAULT, type AdInput } from '../../../contracts/plans/ads.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { AdRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { type AdFile, requireKind, storeAdFile } from './files.ts';
import type { AdForm } from './forms.ts';
import { findAd, holdAd, insertAd, selectAds, takeAd, updateAd } from './queries.ts';

/** Writes down in the same transaction what was done to an ad. */
type Note = (trx: Trx, ad: AdRow) => Promise<void>;

/** The file of an ad that is replaced or deleted. Harmless to repeat. */
export const removeAdFileJob = defineJob<Context, { storageKey: string }>({
  name: 'remove-ad-file',
  payload: z.object({ storageKey: z.string() }),
  removesBytes: true,
  run: ({ blobs }, { storageKey }) => blobs.remove(storageKey),
});

/** All ads, the newest first. */
export function listAllAds({ db }: Pick<Context, 'db'>): Promise<AdRow[]> {
  return selectAds(db);
}

/** Throws AppError `ad_needs_content`, `ad_dates_reversed`, and what storing its file throws. */
export async function createAd(
  context: Context,
  { input, upload }: Omit<AdForm, 'drop'>,
  note: Note,
): Promise<AdRow> {
  const columns = toColumns(input);
  if (!upload && !input.url) throw new AppError('ad_needs_content');
  return withStored(context, { input, upload }, (file) =>
    transaction(context.db, async (trx) => {
      const fresh = { id: randomId(), createdAt: context.clock.now(), isActive: toFlag(input.isActive) ?? 1 };
      const ad = await insertAd(trx, { ...NO_FILE, ...columns, ...fresh, ...file });
      await note(trx, ad);
      return ad;
    }),
  );
}

/**
 * Gives an ad all it is to be; what is left empty it has no more, but without a file its own stays, and it stays
 * shown or hidden when nothing is said. Throws AppError `ad_not_found` and what `createAd` throws.
 */
export async function changeAd(
  context: Context,
  { id, input, upload }: Omit<AdForm, 'drop'> & { id: string },
  note: Note,
): Promise<AdRow> {
  const columns = toColumns(input);
  // Nobody's file is worth the work; what the transaction finds decides.
  if (!(await findAd(context.db, id))) throw new AppError('ad_not_found');
  const ad = await withStored(context, { input, upload }, (file) =>
    transaction(context.db, async (trx) => {
      const held = await holdAd(trx, id);
      if (!held) throw new AppError('ad_not_found');
      requireContent(input, file ?? held);
      const isActive = toFlag(input.isActive) ?? held.isActive;
      const changed = await updateAd(trx, id, { ...columns, isActive, ...file });
      if (file) await enqueueRemoval(trx, held.storageKey);
      await note(trx, changed!);
      return changed!;
    }),
  );
  return ad;
}

/** Throws AppError `ad_not_found`. */
export function setAdActive(
  { db }: Pick<Context, 'db'>,
  { id, isActive }: { id: string; isActive: boolean },
  note: Note,
): Promise<AdRow> {
  return transaction(db, async (trx) => {
    const ad = await updateAd(trx, id, { isActive: isActive ? 1 : 0 });
    if (!ad) throw new AppError('ad_not_found');
    await note(trx, ad);
    return ad;
  });
}

/** Its file goes by a job. Throws AppError `ad_not_found`. */
export async function deleteAd({ db }: Pick<Context, 'db'>, id: string, note: Note): Promise<void> {
  await transaction(db, async (trx) => {
    const ad = await takeAd(trx, id);
    if (!ad) throw new AppError('ad_not_found');
    await enqueueRemoval(trx, ad.storageKey);
    await note(trx, ad);
  });
}

/** Stores the file before the row names it; when that comes to nothing, the file does not stay. */
async function withStored(
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

/** What a form says of an ad, but for whether it is shown. Throws AppError `ad_dates_reversed`. */
function toColumns({ type, title, url, videoType, duration, priority, startDate, endDate }: AdInput) {
  const starts = toInstant(startDate);
  const ends = toInstant(endDate);
  if (starts !== null && ends !== null && ends <= starts) throw new AppError('ad_dates_reversed');
  return {
    type,
    title,
    // As browsers write it: ASCII, and nothing in it that a database or a header would refuse.
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

async function enqueueRemoval(trx: Trx, storageKey: string | null): Promise<void> {
  if (storageKey === null) return;
  await enqueue(trx, removeAdFileJob, { storageKey }, { uniqueKey: storageKey });
}

function toInstant(date: string | undefined): number | null {
  return date === undefined ? null : new Date(date).getTime();
}

function toFlag(value: boolean | undefined): 0 | 1 | undefined {
  return value === undefined ? undefined : value ? 1 : 0;
}
