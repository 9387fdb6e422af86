import type { z } from 'zod';
import {
  type AdminDamagedFile,
  listDamagedFiles as listDamagedFilesCall,
} from '../../../contracts/admin/system.ts';
import type { Context } from '../../context.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { cutPage, readCursor } from '../../platform/lib/cursor.ts';
import { selectDamagedFiles } from './damage-queries.ts';
import { DEFAULT_LIMIT } from './pages.ts';

type Query = z.output<NonNullable<typeof listDamagedFilesCall.query>>;

/** Damaged files, those found last first. Throws AppError `invalid_input` for an unknown cursor. */
export async function listDamagedFiles(
  { db }: Pick<Context, 'db'>,
  query: Query,
): Promise<{ files: AdminDamagedFile[]; next: string | undefined }> {
  const { cursor, limit = DEFAULT_LIMIT } = query;
  const rows = await selectDamagedFiles(db, { after: readCursor(cursor, 'newest'), limit: limit + 1 });
  const page = { path: listDamagedFilesCall.path, query, sort: 'newest', limit };
  const { shown, next } = cutPage(rows, page);
  const files = shown.map((row) => ({
    id: row.id,
    relativePath: row.relativePath,
    size: row.sizeBytes,
    storageKey: row.storageKey,
    transferId: row.transferId,
    transferTitle: row.title,
    transferCreatedAt: toIso(row.transferCreatedAt),
    owner: row.username,
    ownerEmail: row.email,
    damagedAt: toIso(row.sortKey!),
    ownerToldAt: toIsoOrNull(row.damageToldAt),
  }));
  return { files, next };
}
