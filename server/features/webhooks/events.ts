import type { WebhookPayload } from '../../../contracts/accounts/webhooks.ts';
import type { Trx } from '../../platform/db/open.ts';
import { enqueueAll } from '../../platform/jobs/queue.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { deliverJob } from './delivering.ts';
import * as queries from './event-queries.ts';

/** A payload without its timestamp, which is `now`. */
type Happening = WebhookPayload extends infer Each
  ? Each extends WebhookPayload
    ? Pick<Each, 'type' | 'data'>
    : never
  : never;

type NewEvent = {
  userId: string;
  /** Only to this webhook of theirs. */
  webhookId?: string;
  happening: Happening;
  now: number;
};

/**
 * Has a user's webhooks told of what this transaction makes true: told if and only if it is committed. Without one
 * that listens it is one statement that writes nothing. Returns the event's id, or undefined when nobody listens.
 */
export async function noteEvent(
  trx: Trx,
  { userId, webhookId, happening: { type, data }, now }: NewEvent,
): Promise<string | undefined> {
  const id = randomId();
  const body = JSON.stringify({ type, timestamp: toIso(now), data });
  const told = await queries.insertDeliveries(trx, { userId, webhookId, id, type, body, now });
  if (told.length === 0) return undefined;
  // In one order for all, so that two of them cannot wait for each other.
  const orders = told.toSorted().map((each) => ({ payload: { webhookId: each }, uniqueKey: each }));
  await enqueueAll(trx, deliverJob, orders);
  return id;
}

/**
 * Whose transfer it is, if anybody listens for such an event: ask before making its data, which costs more than
 * this look into an index.
 */
export function findListeningOwner(
  trx: Trx,
  transferId: string,
  type: WebhookPayload['type'],
): Promise<string | undefined> {
  return queries.findListeningOwner(trx, transferId, type);
}
