import type { z } from 'zod';
import { ADMIN_PAGE_DEFAULT } from '../../../../contracts/admin/pages.ts';
import type {
  AdminDamagedFile,
  listDamagedFiles as listDamagedFilesCall,
} from '../../../../contracts/admin/system.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { firstFileName } from '../../../platform/db/queries/first-file.ts';
import { isOlderThan } from '../../../platform/db/queries/newest-first.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { cutPage, type Position, readCursor } from '../../../platform/lib/cursor.ts';
import { transferIdOf } from '../../transfers/index.ts';

type Query = z.output<NonNullable<typeof listDamagedFilesCall.query>>;

export async function listDamagedFiles(
  { db }: Pick<Context, 'db'>,
  query: Query,
): Promise<Page<AdminDamagedFile>> {
  const { cursor, limit = ADMIN_PAGE_DEFAULT } = query;
  const rows = await selectDamagedFiles(db, { after: readCursor(cursor, 'newest'), limit: limit + 1 });
  const { shown, nextCursor } = cutPage(rows, { sort: 'newest', limit });
  const items = shown.map((row) => ({
    id: row.id,
    relativePath: row.relativePath,
    size: row.sizeBytes,
    storageKey: row.storageKey,
    transferId: transferIdOf(row.transferId),
    transferTitle: row.title,
    transferName: nameTransfer(row),
    transferCreatedAt: toIso(row.transferCreatedAt),
    owner: row.username,
    ownerEmail: row.email,
    damagedAt: toIso(row.sortKey!),
    ownerToldAt: toIsoOrNull(row.damageToldAt),
  }));
  return { items, nextCursor };
}

async function selectDamagedFiles(db: Db, { after, limit }: { after: Position | undefined; limit: number }) {
  return await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .select([
      'files.id',
      'files.relativePath',
      'files.sizeBytes',
      'files.storageKey',
      'files.transferId',
      'files.damagedAt as sortKey',
      'files.damageToldAt',
      'transfers.title',
      'transfers.fileCount',
      'transfers.encryption',
      firstFileName,
      'transfers.createdAt as transferCreatedAt',
      'users.username',
      'users.email',
    ])
    .where('files.damagedAt', 'is not', null)
    .where('transfers.status', '<>', 'deleting')
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'files.damagedAt', id: 'files.id' }, after!)),
    )
    .orderBy('files.damagedAt', 'desc')
    .orderBy('files.id', 'desc')
    .limit(limit)
    .execute();
}
