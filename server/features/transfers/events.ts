import type { WebhookPayload } from '../../../contracts/accounts/webhooks.ts';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import type { Trx } from '../../platform/db/open.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { enqueuePushes, findPushReceivers } from '../push/index.ts';
import { findListeningOwner, recordEvent } from '../webhooks/index.ts';
import { presentTransfer } from './presenter.ts';
import { findTransferOfEvent } from './queries.ts';

/** Computed only if a webhook is subscribed to the event. */
type ExtraData<Data> = () => Omit<Data, 'transfer'> | Promise<Omit<Data, 'transfer'>>;

type TransferEvent =
  Extract<WebhookPayload, { data: { transfer: Transfer } }> extends infer Each
    ? Each extends { type: infer Type; data: infer Data }
      ? { type: Type } & ([keyof Omit<Data, 'transfer'>] extends [never] ? object : { more: ExtraData<Data> })
      : never
    : never;

/** For webhooks and browsers of its owner. Costs two index lookups if there are none. */
export async function recordTransferEvent(
  trx: Trx,
  transferId: string,
  { now, ...event }: TransferEvent & { now: number },
): Promise<void> {
  const userId = await findListeningOwner(trx, transferId, event.type);
  const receivers = await findPushReceivers(trx, transferId, event.type);
  if (userId === undefined && receivers.length === 0) return;
  const row = await findTransferOfEvent(trx, transferId);
  if (!row) return;
  const data = { transfer: presentTransfer(row, now), ...('more' in event && (await event.more())) };
  const webhookEvent = { type: event.type, data } as Parameters<typeof recordEvent>[1]['event'];
  if (userId !== undefined) await recordEvent(trx, { userId, event: webhookEvent, now });
  const pushed = { ...webhookEvent, timestamp: toIso(now) } as WebhookPayload;
  if (receivers.length > 0) await enqueuePushes(trx, { receivers, event: pushed });
}

export function recordReadyEvent(
  trx: Trx,
  {
    id,
    receivedFrom,
    invitationId,
  }: { id: string; receivedFrom: string | null; invitationId: string | null },
  now: number,
): Promise<void> {
  if (receivedFrom === null) return recordTransferEvent(trx, id, { type: 'transfer.ready', now });
  return recordTransferEvent(trx, id, { type: 'invitation.received', more: () => ({ invitationId }), now });
}

export function recordViewEvent(
  trx: Trx,
  { transferId, viewedAt, referer }: { transferId: string; viewedAt: number; referer: string | null },
): Promise<void> {
  const view = { viewedAt: toIso(viewedAt), referer };
  return recordTransferEvent(trx, transferId, {
    type: 'transfer.viewed',
    more: () => ({ view }),
    now: viewedAt,
  });
}
