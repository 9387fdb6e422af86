import type { Db, Trx } from '../../platform/db/open.ts';
import type { Page } from './queries.ts';

/** Transfers with complete downloads that nobody was told of, in the order of their ids. */
export async function listTransfersWithNewDownloads(db: Db, { after, limit }: Page): Promise<string[]> {
  const rows = await db
    .selectFrom('downloads')
    .select('transferId')
    .distinct()
    .where('noticedAt', 'is', null)
    .where('completedAt', 'is not', null)
    .where('transferId', '>', after)
    .orderBy('transferId')
    .limit(limit)
    .execute();
  return rows.map(({ transferId }) => transferId);
}

/** Takes a transfer's new complete downloads; each is taken once, whoever asks. */
export async function takeNewDownloads(trx: Trx, transferId: string, now: number) {
  const rows = await trx
    .updateTable('downloads')
    .set({ noticedAt: now })
    .where('transferId', '=', transferId)
    .where('noticedAt', 'is', null)
    .where('completedAt', 'is not', null)
    .returning(['completedAt', 'recipientId'])
    .execute();
  return rows.map(({ completedAt, recipientId }) => ({ happenedAt: completedAt!, recipientId }));
}

/** Transfers with page views that nobody was told of, in the order of their ids. */
export async function listTransfersWithNewViews(db: Db, { after, limit }: Page): Promise<string[]> {
  const rows = await db
    .selectFrom('transferViews')
    .select('transferId')
    .distinct()
    .where('noticedAt', 'is', null)
    .where('transferId', '>', after)
    .orderBy('transferId')
    .limit(limit)
    .execute();
  return rows.map(({ transferId }) => transferId);
}

/** Takes a transfer's new page views; each is taken once, whoever asks. */
export async function takeNewViews(trx: Trx, transferId: string, now: number) {
  return await trx
    .updateTable('transferViews')
    .set({ noticedAt: now })
    .where('transferId', '=', transferId)
    .where('noticedAt', 'is', null)
    .returning('viewedAt as happenedAt')
    .execute();
}

export async function listEmailsOfRecipients(trx: Trx, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await trx
    .selectFrom('transferRecipients')
    .select('email')
    .where('id', 'in', ids)
    .orderBy('emailKey')
    .execute();
  return rows.map(({ email }) => email);
}

/** Who opened a transfer by their own link for the first time between two instants, both included. */
export async function listEmailsOfOpeners(
  trx: Trx,
  transferId: string,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  const rows = await trx
    .selectFrom('transferRecipients')
    .select('email')
    .where('transferId', '=', transferId)
    .where('openedAt', '>=', from)
    .where('openedAt', '<=', to)
    .orderBy('emailKey')
    .execute();
  return rows.map(({ email }) => email);
}
