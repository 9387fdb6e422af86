import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { isAutomated } from '../../../platform/http/pages/automated-requests.ts';
import { ignoreFullDisk } from '../../../platform/lib/app-error.ts';
import { isOwnVisit } from '../../analytics/index.ts';
import type { Share } from '../queries.ts';

/**
 * A request by a recipient's personal link, `?r=`. It shows the sender who opened and downloaded the transfer; it
 * grants no access. Unknown tokens, tokens of other transfers and visits by the owner are ignored.
 */
export type PersonalVisit = {
  share: Pick<Share, 'id' | 'userId'>;
  request: FastifyRequest;
  recipientToken: string | undefined;
};

type Deps = Pick<Context, 'db' | 'clock'>;

/** Recorded whatever the transfer's state; prefetches and bots don't count. */
export async function recordOpening({ db, clock }: Deps, visit: PersonalVisit): Promise<void> {
  const { share, request, recipientToken } = visit;
  if (recipientToken === undefined || isAutomated(request)) return;
  if (await isOwnVisit(request, share.userId)) return;
  const opening = markOpened(db, { transferId: share.id, recipientToken, now: clock.now() });
  await opening.catch(ignoreFullDisk);
}

export async function findVisitingRecipient(
  { db }: Pick<Context, 'db'>,
  { share, request, recipientToken }: PersonalVisit,
): Promise<string | null> {
  if (recipientToken === undefined || (await isOwnVisit(request, share.userId))) return null;
  return (await findRecipientId(db, { transferId: share.id, recipientToken })) ?? null;
}

type OfTransfer = { transferId: string; recipientToken: string };

async function findRecipientId(
  db: Db,
  { transferId, recipientToken }: OfTransfer,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('transferRecipients')
    .select('id')
    .where('token', '=', recipientToken)
    .where('transferId', '=', transferId)
    .executeTakeFirst();
  return row?.id;
}

async function markOpened(
  db: Db,
  { transferId, recipientToken, now }: OfTransfer & { now: number },
): Promise<void> {
  await db
    .updateTable('transferRecipients')
    .set({ openedAt: now })
    .where('token', '=', recipientToken)
    .where('transferId', '=', transferId)
    .where('openedAt', 'is', null)
    .execute();
}

/** Returns whether this was the recipient's first download. */
export async function markDownloaded(
  trx: Trx,
  { recipientId, now }: { recipientId: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transferRecipients')
    .set((eb) => ({ downloadedAt: now, openedAt: eb.fn.coalesce('openedAt', eb.val(now)) }))
    .where('id', '=', recipientId)
    .where('downloadedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function findRecipientEmail(trx: Trx, recipientId: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('transferRecipients')
    .select('email')
    .where('id', '=', recipientId)
    .executeTakeFirst();
  return row?.email;
}
