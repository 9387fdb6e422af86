import type { WebhookPayload } from '../../../contracts/accounts/webhooks.ts';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import type { Trx } from '../../platform/db/open.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { findListeningOwner, recordEvent } from '../webhooks/index.ts';
import { presentTransfer } from './presenter.ts';
import { findTransferOfEvent } from './queries.ts';

/** What is told besides the transfer; asked for only when somebody listens. */
type More<Data> = () => Omit<Data, 'transfer'> | Promise<Omit<Data, 'transfer'>>;

/** An event about a transfer, without the transfer. */
type TransferEvent =
  Extract<WebhookPayload, { data: { transfer: Transfer } }> extends infer Each
    ? Each extends { type: infer Type; data: infer Data }
      ? { type: Type } & ([keyof Omit<Data, 'transfer'>] extends [never] ? object : { more: More<Data> })
      : never
    : never;

/**
 * Has the owner's webhooks told of what happens to a transfer in this transaction, which is described as it is by
 * then. Where nobody listens this is one lookup in an index.
 */
export async function noteTransferEvent(
  trx: Trx,
  transferId: string,
  { now, ...event }: TransferEvent & { now: number },
): Promise<void> {
  const userId = await findListeningOwner(trx, transferId, event.type);
  if (userId === undefined) return;
  const row = await findTransferOfEvent(trx, transferId);
  if (!row) return;
  const data = { transfer: presentTransfer(row, now), ...('more' in event && (await event.more())) };
  const webhookEvent = { type: event.type, data } as Parameters<typeof recordEvent>[1]['event'];
  await recordEvent(trx, { userId, event: webhookEvent, now });
}

/** A draft has become a transfer: the owner's own, or what came in through an invitation. */
export function noteReady(
  trx: Trx,
  {
    id,
    receivedFrom,
    invitationId,
  }: { id: string; receivedFrom: string | null; invitationId: string | null },
  now: number,
): Promise<void> {
  if (receivedFrom === null) return noteTransferEvent(trx, id, { type: 'transfer.ready', now });
  return noteTransferEvent(trx, id, { type: 'invitation.received', more: () => ({ invitationId }), now });
}

/** A view has been written. */
export function noteViewed(
  trx: Trx,
  { transferId, viewedAt, referer }: { transferId: string; viewedAt: number; referer: string | null },
): Promise<void> {
  const view = { viewedAt: toIso(viewedAt), referer };
  return noteTransferEvent(trx, transferId, {
    type: 'transfer.viewed',
    more: () => ({ view }),
    now: viewedAt,
  });
}
