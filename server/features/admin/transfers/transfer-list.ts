import type { z } from 'zod';
import { ADMIN_PAGE_DEFAULT } from '../../../../contracts/admin/pages.ts';
import type { AdminTransfer, listAllTransfers } from '../../../../contracts/admin/transfers.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import { prepareTextSearch } from '../../../platform/db/queries/text-search.ts';
import { walk } from '../../../platform/db/queries/walk.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { cutPage, readCursor } from '../../../platform/lib/cursor.ts';
import {
  countShownFiles,
  encryptionVersionOf,
  findLargeMentioning,
  isExpired,
  presentProtection,
} from '../../transfers/index.ts';
import { findCandidates } from './transfer-candidate-queries.ts';
import { type Filters, selectTransferSlice } from './transfer-list-queries.ts';
import { type ShownToAdmin, selectShownTransfers } from './transfer-queries.ts';

type Query = z.output<NonNullable<typeof listAllTransfers.query>>;

const CANDIDATES_MAX = 2_000;

/** `isGone` returns true once the client has disconnected. Throws AppError `invalid_input` for an invalid cursor. */
export async function listTransfersOfAll(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  query: Query,
  isGone: () => boolean,
): Promise<Page<AdminTransfer>> {
  const { sort = 'newest', limit = ADMIN_PAGE_DEFAULT, cursor } = query;
  const now = clock.now();
  const after = readCursor(cursor, sort);
  const { search, owner, state, minBytes, maxBytes } = query;
  const contains = search ? await prepareTextSearch(db, search) : undefined;
  const filters: Filters = {
    now,
    search,
    contains,
    largeMatches: contains ? await findLargeMentioning(db, contains) : [],
    owner: owner?.toLowerCase() || undefined,
    state,
    minBytes,
    maxBytes,
  };
  const among = await findCandidates(db, filters, CANDIDATES_MAX);
  const rows =
    among?.length === 0
      ? []
      : await walk({
          readSlice: (behind, size) =>
            selectTransferSlice(db, { sort, filters, among, after: behind, limit: size }),
          after,
          wanted: limit + 1,
          isGone,
        });
  const { shown, nextCursor } = cutPage(rows, { sort, limit });
  const details = await selectShownTransfers(
    db,
    shown.map(({ id }) => id),
  );
  return { items: details.map((row) => presentForAdmin(row, now)), nextCursor };
}

export function presentForAdmin(row: ShownToAdmin, now: number): AdminTransfer {
  const { fileCount, totalBytes } = countShownFiles(row);
  return {
    id: row.id,
    token: row.token,
    isArriving: row.status === 'arriving',
    title: row.title,
    firstFileName: row.firstFileName,
    encryption: encryptionVersionOf(row),
    owner: { id: row.ownerId, username: row.ownerName, email: row.ownerEmail },
    fileCount,
    totalSize: totalBytes,
    downloadCount: row.downloadCount,
    createdAt: toIso(row.createdAt),
    expiresAt: toIsoOrNull(row.expiresAt),
    isExpired: isExpired(row, now),
    isPasswordProtected: presentProtection(row).isPasswordProtected,
    isTakenDown: row.takenDownAt !== null,
    openReports: Number(row.openReports ?? 0),
  };
}
