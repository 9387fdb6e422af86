import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { WebhookPayload } from '../../../contracts/accounts/webhooks.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { wordingIn } from '../../platform/mail/wording.ts';
import { postTo } from '../../platform/outgoing/post.ts';
import { PrivateNetworkRefusal } from '../../platform/outgoing/refusal.ts';
import { findTarget } from '../../platform/outgoing/target.ts';
import { encryptPush } from '../../platform/push/encrypt.ts';
import { authorizePush } from '../../platform/push/vapid.ts';
import { describeEvent } from '../webhooks/index.ts';
import { deleteSubscription, findSubscription } from './queries.ts';
import { openPushTarget, type PushTarget } from './subscriptions.ts';
import { getVapidKeys } from './vapid-keys.ts';

const PUSHES_AT_ONCE = 16;
const TIMEOUT_MS = 15 * SECOND_MS;
const ANSWER_BYTES = 1_024;

/** How long a push service keeps a notification for a browser that is off. */
const TTL_SECONDS = DAY_MS / SECOND_MS;

type PushOrder = { subscriptionId: string; event: string };

/** Sends one notification to one browser; ends the subscription if the push service no longer knows it. */
export const sendPushJob = defineJob<Context, PushOrder>({
  name: 'push.send',
  payload: z.object({ subscriptionId: z.string(), event: z.string() }),
  ownPlaces: PUSHES_AT_ONCE,
  retry: { firstDelayMs: 30 * SECOND_MS, maxDelayMs: 2 * HOUR_MS, giveUpAfterMs: DAY_MS },
  run: sendPush,
});

async function sendPush(context: Context, order: PushOrder, { signal }: JobRun): Promise<void> {
  const row = await findSubscription(context.db, order.subscriptionId);
  if (!row) return;
  const target = openPushTarget(context, row);
  if (!target) return deleteSubscription(context.db, row.id);
  const event = JSON.parse(order.event) as WebhookPayload;
  const status = await post(context, { target, event, language: row.language, signal });
  if (status === undefined || ENDED.has(status)) await deleteSubscription(context.db, row.id);
  else if (TEMPORARY.has(status) || status >= 500)
    throw new Error(`The push service responded with ${status}.`);
}

/** The browser has unsubscribed. */
const ENDED = new Set([404, 410]);

/** 401 and 403: it rejects the signature (RFC 8292 §4.2), usually because the server's clock is wrong. */
const TEMPORARY = new Set([401, 403, 429]);

type Push = {
  target: PushTarget;
  event: WebhookPayload;
  language: Parameters<typeof wordingIn>[0];
  signal: AbortSignal;
};

/** The status; undefined if the server may not connect to this host any more. */
async function post(
  context: Context,
  { target, event, language, signal }: Push,
): Promise<number | undefined> {
  const { config, clock } = context;
  const { endpoint, keys } = target;
  const body = encryptPush(keys, composeNotice(event, language, config.publicUrl));
  const authorization = authorizePush(await getVapidKeys(context), {
    endpoint,
    subject: config.publicUrl,
    now: clock.now(),
  });
  const address = await findTarget(endpoint, { allowPrivate: config.webhookAllowPrivate }).catch((error) => {
    if (error instanceof PrivateNetworkRefusal) return undefined;
    throw error;
  });
  if (!address) return undefined;
  const { status } = await postTo(address, {
    headers: Object.entries({
      authorization,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(TTL_SECONDS),
      topic: topicOf(event),
      urgency: event.type === 'transfer.damaged' ? 'high' : 'normal',
    }).map(([name, value]) => ({ name, value })),
    body,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: ANSWER_BYTES,
    signal,
  });
  return status;
}

/** Read by the service worker. */
function composeNotice(event: WebhookPayload, language: Push['language'], publicUrl: string): string {
  const { title, text, link } = describeEvent(wordingIn(language), event, publicUrl);
  return JSON.stringify({ title, body: text, tag: topicOf(event), path: link.url.slice(publicUrl.length) });
}

/** A later notification about the same replaces one that waits (RFC 8030 §5.4: at most 32 characters). */
function topicOf(event: WebhookPayload): string {
  const subject = event.type === 'test' ? '' : event.data.transfer.id;
  return createHash('sha256').update(`${event.type}\n${subject}`).digest('base64url').slice(0, 32);
}
