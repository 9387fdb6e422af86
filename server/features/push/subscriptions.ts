import { createECDH } from 'node:crypto';
import {
  MAX_PUSH_SUBSCRIPTIONS,
  type PushEvent,
  type PushSubscription,
  type PushSubscriptionInput,
} from '../../../contracts/accounts/push.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { PushSubscriptionRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { requireWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import type { Identity } from '../../platform/http/routing/identity.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { openSealedText, sealText } from '../../platform/lib/sealed-text.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';
import { OutgoingRefusal } from '../../platform/outgoing/refusal.ts';
import { findTarget } from '../../platform/outgoing/target.ts';
import type { PushKeys } from '../../platform/push/encrypt.ts';
import { lockCaller } from '../accounts/index.ts';
import { deleteOwnSubscription, listSubscriptionsOf, upsertSubscription } from './queries.ts';
import { getVapidKeys, TARGET_PURPOSE } from './vapid-keys.ts';

export type PushTarget = { endpoint: string; keys: PushKeys };

type Caller = Pick<Identity, 'user' | 'sessionId' | 'apiKey'>;

export async function listSubscriptions(context: Context, userId: string) {
  const { publicKey } = await getVapidKeys(context);
  const rows = await listSubscriptionsOf(context.db, userId);
  return { publicKey, subscriptions: rows.map(present) };
}

/** Requests per user and minute that make the server look up a host. */
const LOOKUPS_PER_MINUTE = 30;

/**
 * Saves a browser, or changes its events. The subscription ends with the caller's session. Throws AppError
 * `invalid_input` (unusable keys, or a host that is not allowed), `too_many_push_subscriptions`, `too_many_requests`,
 * `not_signed_in`.
 */
export async function saveSubscription(
  context: Context,
  caller: Caller,
  { endpoint, keys, events }: PushSubscriptionInput,
): Promise<PushSubscription> {
  const { db, clock, secret } = context;
  if (!areUsable(keys))
    throw new AppError('invalid_input', { errors: { keys: INVALID_KEYS }, message: INVALID_KEYS });
  await requireAllowedEndpoint(context, caller.user.id, endpoint);
  const target: PushTarget = { endpoint, keys };
  const endpointHash = hashToken(endpoint);
  const row = await transaction(db, async (trx) => {
    const { id: userId } = await lockCaller(trx, caller);
    const others = await listSubscriptionsOf(trx, userId);
    const isNew = !others.some((each) => each.endpointHash === endpointHash);
    if (isNew && others.length >= MAX_PUSH_SUBSCRIPTIONS)
      throw new AppError('too_many_push_subscriptions', { details: { count: others.length } });
    return upsertSubscription(trx, {
      id: randomId(),
      userId,
      transferId: null,
      sessionId: caller.sessionId,
      endpointHash,
      sealedTarget: sealText({ secret, purpose: TARGET_PURPOSE }, JSON.stringify(target)),
      service: new URL(endpoint).host,
      events: JSON.stringify(events),
      createdAt: clock.now(),
    });
  });
  return present(row);
}

const INVALID_KEYS = 'These are not the keys of a browser.';
const SECRET_BYTES = 16;

function areUsable({ p256dh, auth }: PushKeys): boolean {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  try {
    ecdh.computeSecret(Buffer.from(p256dh, 'base64url'));
    return Buffer.from(auth, 'base64url').length === SECRET_BYTES;
  } catch {
    return false;
  }
}

async function requireAllowedEndpoint(context: Context, userId: string, endpoint: string): Promise<void> {
  await requireWithinLimit(context, {
    key: `push:${userId}`,
    limit: LOOKUPS_PER_MINUTE,
    windowMs: MINUTE_MS,
  });
  await findTarget(endpoint, { allowPrivate: context.config.webhookAllowPrivate }).catch((error: unknown) => {
    if (!(error instanceof OutgoingRefusal)) throw error;
    throw new AppError('invalid_input', { message: error.message, errors: { endpoint: error.message } });
  });
}

export async function endSubscription(
  { db }: Pick<Context, 'db'>,
  own: { userId: string; id: string },
): Promise<void> {
  await deleteOwnSubscription(db, own);
}

/** Undefined if SESSION_SECRET has changed. */
export function openPushTarget(
  { secret, previousSecret }: Pick<Context, 'secret' | 'previousSecret'>,
  { sealedTarget }: Pick<PushSubscriptionRow, 'sealedTarget'>,
): PushTarget | undefined {
  const text = openSealedText({ secret, previousSecret, purpose: TARGET_PURPOSE }, sealedTarget);
  return text === undefined ? undefined : (JSON.parse(text) as PushTarget);
}

function present({ id, endpointHash, service, events, createdAt }: PushSubscriptionRow): PushSubscription {
  return {
    id,
    endpointHash,
    service,
    events: JSON.parse(events) as PushEvent[],
    createdAt: toIso(createdAt),
  };
}
