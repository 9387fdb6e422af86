import { repeatInBatches } from '../../platform/db/batches.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { listDistinct } from '../../platform/db/walk.ts';
import type { Page } from './queries.ts';

/** Transfers with complete downloads that nobody was told of, in the order of their ids. */
export async function listTransfersWithNewDownloads(db: Db, { after, limit }: Page): Promise<string[]> {
  return listDistinct({ after, limit }, async (previous) => {
    const row = await db
      .selectFrom('downloads')
      .select('transferId')
      .where('noticedAt', 'is', null)
      .where('completedAt', 'is not', null)
      .where('transferId', '>', previous)
      .orderBy('transferId')
      .limit(1)
      .executeTakeFirst();
    return row?.transferId;
  });
}

/** Takes a transfer's new complete downloads; each is taken once, whoever asks. */
export async function takeNewDownloads(trx: Trx, transferId: string, now: number) {
  const taken: { happenedAt: number; recipientId: string | null }[] = [];
  await repeatInBatches(async (limit) => {
    const rows = await trx
      .updateTable('downloads')
      .set({ noticedAt: now })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('downloads')
          .select('id')
          .where('transferId', '=', transferId)
          .where('noticedAt', 'is', null)
          .where('completedAt', 'is not', null)
          .limit(limit),
      )
      .where('noticedAt', 'is', null)
      .returning(['completedAt', 'recipientId'])
      .execute();
    for (const { completedAt, recipientId } of rows) taken.push({ happenedAt: completedAt!, recipientId });
    return rows.length;
  });
  return taken;
}

/** Transfers with page views that nobody was told of, in the order of their ids. */
export async function listTransfersWithNewViews(db: Db, { after, limit }: Page): Promise<string[]> {
  return listDistinct({ after, limit }, async (previous) => {
    const row = await db
      .selectFrom('transferViews')
      .select('transferId')
      .where('noticedAt', 'is', null)
      .where('transferId', '>', previous)
      .orderBy('transferId')
      .limit(1)
      .executeTakeFirst();
    return row?.transferId;
  });
}

/** Takes a transfer's new page views; each is taken once, whoever asks. */
export async function takeNewViews(trx: Trx, transferId: string, now: number) {
  const taken: { happenedAt: number }[] = [];
  await repeatInBatches(async (limit) => {
    const rows = await trx
      .updateTable('transferViews')
      .set({ noticedAt: now })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('transferViews')
          .select('id')
          .where('transferId', '=', transferId)
          .where('noticedAt', 'is', null)
          .limit(limit),
      )
      .where('noticedAt', 'is', null)
      .returning('viewedAt as happenedAt')
      .execute();
    for (const row of rows) taken.push(row);
    return rows.length;
  });
  return taken;
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
