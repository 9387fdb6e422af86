import type { Db } from '../../platform/db/open.ts';
import type { Position } from '../../platform/lib/cursor.ts';

/** Damaged files, those found last first. */
export async function selectDamagedFiles(
  db: Db,
  { after, limit }: { after: Position | undefined; limit: number },
) {
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
      'transfers.createdAt as transferCreatedAt',
      'users.username',
      'users.email',
    ])
    .where('files.damagedAt', 'is not', null)
    .where('transfers.status', '<>', 'deleting')
    .$if(after !== undefined, (query) =>
      query
        .where('files.damagedAt', '<=', Number(after!.key))
        .where((eb) =>
          eb.or([eb('files.damagedAt', '<', Number(after!.key)), eb('files.id', '<', after!.id)]),
        ),
    )
    .orderBy('files.damagedAt', 'desc')
    .orderBy('files.id', 'desc')
    .limit(limit)
    .execute();
}
