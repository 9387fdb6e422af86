import { tierIncludes } from '../../../../contracts/plans/tiers.ts';
import type { ListedTransfer, Transfer } from '../../../../contracts/transfers/transfers.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { Tier } from '../../../platform/db/schema/column-types.ts';

/** A transfer may have 100,000 files, so the search for its first picture ends early. */
const FILES_SEARCHED = 10;
const ROWS_AT_ONCE = 250;

type ListExtras = Omit<ListedTransfer, keyof Transfer>;

/** What lists show of files and recipients, by transfer id. */
export async function findListExtras(
  db: Db,
  ids: string[],
  { ownerTier }: { ownerTier: Tier },
): Promise<Map<string, ListExtras>> {
  const extras = new Map<string, ListExtras>();
  const hasThumbnails = tierIncludes(ownerTier, 'previews');
  for (let start = 0; start < ids.length; start += ROWS_AT_ONCE) {
    const some = ids.slice(start, start + ROWS_AT_ONCE);
    const thumbnails = hasThumbnails ? await findThumbnails(db, some) : new Map<string, string>();
    for (const { id, firstFileId, recipientsDownloaded } of await selectExtras(db, some))
      extras.set(id, {
        firstFileId,
        thumbnailFileId: thumbnails.get(id) ?? null,
        recipientsDownloaded: Number(recipientsDownloaded),
      });
  }
  return extras;
}

export const NO_EXTRAS: ListExtras = { firstFileId: null, thumbnailFileId: null, recipientsDownloaded: 0 };

function selectExtras(db: Db, ids: string[]) {
  return db
    .selectFrom('transfers')
    .select('transfers.id')
    .select((eb) => [
      eb
        .selectFrom('files')
        .select('files.id')
        .whereRef('files.transferId', '=', 'transfers.id')
        .orderBy('files.position')
        .limit(1)
        .as('firstFileId'),
      eb
        .selectFrom('transferRecipients')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('transferRecipients.transferId', '=', 'transfers.id')
        .where('transferRecipients.downloadedAt', 'is not', null)
        .$asScalar()
        .$notNull()
        .as('recipientsDownloaded'),
    ])
    .where('transfers.id', 'in', ids)
    .execute();
}

async function findThumbnails(db: Db, ids: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('transfers')
    .select('transfers.id')
    .select((eb) =>
      eb
        .selectFrom((from) =>
          from
            .selectFrom('files')
            .select(['files.id', 'files.position'])
            .whereRef('files.transferId', '=', 'transfers.id')
            .orderBy('files.position')
            .limit(FILES_SEARCHED)
            .as('first'),
        )
        .innerJoin('fileThumbnails', 'fileThumbnails.fileId', 'first.id')
        .select('first.id')
        .orderBy('first.position')
        .limit(1)
        .as('thumbnailFileId'),
    )
    .where('transfers.id', 'in', ids)
    .execute();
  return new Map(rows.flatMap(({ id, thumbnailFileId }) => (thumbnailFileId ? [[id, thumbnailFileId]] : [])));
}
