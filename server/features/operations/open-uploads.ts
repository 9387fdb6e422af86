import type { OperatorContext } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { UploadRow } from '../../platform/db/schema.ts';
import { discardUpload } from '../uploads/index.ts';

const PAGE = 200;

/**
 * Gives up all open uploads with what they had reserved: a backup has whole files only. Their senders announce
 * them anew and go on. Returns how many there were.
 */
export async function dropOpenUploads(
  context: Pick<OperatorContext, 'config' | 'db' | 'blobs' | 'clock' | 'log'>,
): Promise<number> {
  let dropped = 0;
  for (let after = ''; ; ) {
    const page = await listOpenUploads(context.db, after);
    for (const upload of page)
      if (await discardUpload(context as never, upload, { cause: 'dropped-by-operator' })) dropped += 1;
    if (page.length < PAGE) return dropped;
    after = page.at(-1)!.id;
  }
}

function listOpenUploads(
  db: Db,
  after: string,
): Promise<Pick<UploadRow, 'id' | 'userId' | 'visitorKey' | 'transferId' | 'chunkCount'>[]> {
  return db
    .selectFrom('uploads')
    .select(['id', 'userId', 'visitorKey', 'transferId', 'chunkCount'])
    .where('state', '=', 'open')
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();
}
