import type { Db } from '../../platform/db/open.ts';
import type { HeldFileRow } from '../../platform/db/schema.ts';
import type { Position } from '../../platform/lib/cursor.ts';

type Page = { after: Position | undefined; limit: number };

/** Held files in one state, those found last first. */
export async function selectHeldFiles(
  db: Db,
  { state, after, limit }: Page & { state: HeldFileRow['state'] },
) {
  return await db
    .selectFrom('heldFiles')
    .innerJoin('files', 'files.id', 'heldFiles.fileId')
    .innerJoin('transfers', 'transfers.id', 'heldFiles.transferId')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .select([
      'heldFiles.fileId as id',
      'heldFiles.state',
      'heldFiles.finding',
      'heldFiles.sha256 as heldSha256',
      'heldFiles.foundAt as sortKey',
      'heldFiles.transferId',
      'files.relativePath',
      'files.sizeBytes',
      'files.sha256',
      'transfers.title',
      'users.username',
      'users.email',
    ])
    .where('heldFiles.state', '=', state)
    .where('transfers.status', 'not in', ['draft', 'deleting'])
    .$if(after !== undefined, (query) =>
      query
        .where('heldFiles.foundAt', '<=', Number(after!.key))
        .where((eb) =>
          eb.or([eb('heldFiles.foundAt', '<', Number(after!.key)), eb('heldFiles.fileId', '<', after!.id)]),
        ),
    )
    .orderBy('heldFiles.foundAt', 'desc')
    .orderBy('heldFiles.fileId', 'desc')
    .limit(limit)
    .execute();
}

/** Contents that were taken down, the latest first. */
export async function selectBlockedContents(db: Db, { after, limit }: Page) {
  return await db
    .selectFrom('contentRules')
    .selectAll()
    .select('createdAt as sortKey')
    .where('verdict', '=', 'blocked')
    .$if(after !== undefined, (query) =>
      query
        .where('createdAt', '<=', Number(after!.key))
        .where((eb) => eb.or([eb('createdAt', '<', Number(after!.key)), eb('id', '<', after!.id)])),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The first files of a transfer that is there, in the sender's order, and why they are held. */
export async function selectReviewedFiles(db: Db, transferId: string, limit: number) {
  return await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .leftJoin('heldFiles', 'heldFiles.fileId', 'files.id')
    .select(['files.id', 'relativePath', 'sizeBytes', 'files.sha256'])
    .select(['heldFiles.state', 'heldFiles.sha256 as heldSha256'])
    .where('files.transferId', '=', transferId)
    .where('transfers.status', 'not in', ['draft', 'deleting'])
    .orderBy('position')
    .limit(limit)
    .execute();
}
