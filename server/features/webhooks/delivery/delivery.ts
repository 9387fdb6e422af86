import { z } from 'zod';
import { WEBHOOK_ANSWER_BYTES } from '../../../../contracts/accounts/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow, WebhookDeliveryRow, WebhookRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { defineJob, type JobRun } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { type Header, type PostResponse, postTo } from '../../../platform/outgoing/post.ts';
import { explainFailure, OutgoingRefusal } from '../../../platform/outgoing/refusal.ts';
import { findTarget } from '../../../platform/outgoing/target.ts';
import { enqueueDisabledMail } from '../emails.ts';
import {
  composeMessage,
  explainAnswer,
  findRetryAfter,
  formatOf,
  type Receiver,
} from '../formats/compose.ts';
import { disableWebhook, markFailing, markWorking } from '../queries.ts';
import { sign } from '../secrets.ts';
import {
  failWaiting,
  findDueDelivery,
  findReceiver,
  lockNextAttempt,
  updateAttempt,
} from './delivery-queries.ts';

const NOT_INCLUDED = 'Not sent: webhooks are not part of your plan at present.';
export const WEBHOOK_DISABLED = 'Not sent: the webhook was turned off.';

/** Deliveries mostly wait for receivers, so many can run at the same time. */
const RECEIVERS_AT_ONCE = 32;

/** After this many attempts the job yields to others. */
const ATTEMPTS_PER_RUN = 25;

/**
 * Sends the due events of one webhook one after another; only one run per webhook at a time, in all processes. The job
 * has its own slots, so a slow receiver delays neither other webhooks nor other jobs.
 */
export const deliverJob = defineJob<Context, { webhookId: string }>({
  name: 'webhooks.deliver',
  payload: z.object({ webhookId: z.string() }),
  ownPlaces: RECEIVERS_AT_ONCE,
  run: (context, { webhookId }, run) => deliver(context, webhookId, run),
});

async function deliver(context: Context, webhookId: string, run: JobRun): Promise<void> {
  for (let attempts = 0; attempts < ATTEMPTS_PER_RUN && !run.signal.aborted; attempts += 1) {
    const webhook = await findReceiver(context.db, webhookId);
    if (!webhook) return;
    if (!webhook.isSending) {
      await failWaiting(context.db, webhookId, webhook.isActive === 1 ? NOT_INCLUDED : WEBHOOK_DISABLED);
      return;
    }
    const delivery = await claimDueDelivery(context, webhookId);
    if (!delivery) break;
    try {
      const outcome = await send(context, { webhook, delivery, signal: run.signal });
      await recordOutcome(context, { webhook, delivery, outcome });
    } catch (error) {
      // Shutting down, or an internal error: don't count this attempt.
      await updateAttempt(context.db, delivery, {
        attempts: delivery.attempts - 1,
        nextTryAt: context.clock.now(),
      });
      if (!run.signal.aborted) throw error;
    }
  }
  await rescheduleIfWaiting(context, webhookId);
}

/** Counts the attempt before sending, so that after a crash it is retried like a failed one, with the same id. */
async function claimDueDelivery(
  { db, clock }: Context,
  webhookId: string,
): Promise<WebhookDeliveryRow | undefined> {
  const now = clock.now();
  const due = await findDueDelivery(db, webhookId, now);
  if (!due) return undefined;
  const attempts = due.attempts + 1;
  const nextTryAt = now + (findNextDelay(attempts, Math.random()) ?? DAY_MS);
  const isClaimed = await updateAttempt(db, due, { attempts, nextTryAt, lastTriedAt: now });
  return isClaimed
    ? { ...due, attempts, nextTryAt, lastTriedAt: now }
    : claimDueDelivery({ db, clock } as Context, webhookId);
}

async function rescheduleIfWaiting({ db }: Context, webhookId: string): Promise<void> {
  await transaction(db, async (trx) => {
    const runAt = await lockNextAttempt(trx, webhookId);
    if (runAt !== undefined) await enqueue(trx, deliverJob, { webhookId }, { uniqueKey: webhookId, runAt });
  });
}

const GONE = 410;

type Attempt = {
  webhook: WebhookRow & Pick<UserRow, 'email' | 'language'>;
  delivery: WebhookDeliveryRow;
  outcome: AttemptOutcome;
};

/** Disables a webhook that responds with 410 Gone or that has failed for three days by a trusted clock. */
async function recordOutcome(context: Context, { webhook, delivery, outcome }: Attempt): Promise<void> {
  const { db, clock, clockGuard } = context;
  const isDelivered = outcome.error === null;
  const hasMore = !isDelivered && findNextDelay(delivery.attempts, 0) !== undefined;
  const isClockTrusted = isDelivered || (await clockGuard.findTrustedNow({ steadyMs: 0 })) !== undefined;
  await transaction(db, async (trx) => {
    await updateAttempt(trx, delivery, {
      ...toColumns(outcome),
      state: isDelivered ? 'delivered' : hasMore ? 'waiting' : 'failed',
      nextTryAt: hasMore ? Math.max(delivery.nextTryAt ?? 0, clock.now() + waitAskedBy(outcome)) : null,
    });
    if (isDelivered) return markWorking(trx, webhook.id);
    const status = outcome.response?.status;
    await recordFailure(trx, context, { webhook, status, now: clock.now(), isClockTrusted });
  });
}

type Failure = {
  webhook: Attempt['webhook'];
  status: number | undefined;
  now: number;
  isClockTrusted: boolean;
};

async function recordFailure(
  trx: Trx,
  { config }: Context,
  { webhook, status, now, isClockTrusted }: Failure,
): Promise<void> {
  const failingSince = await markFailing(trx, { ...webhook, now });
  // The owner has changed the URL since, so this failure says nothing about the new one.
  if (failingSince === undefined) return;
  const isFailing = isClockTrusted && now - failingSince >= GIVE_UP_WEBHOOK_MS;
  const reason = status === GONE ? 'gone' : isFailing ? 'failing' : undefined;
  if (!reason || !(await disableWebhook(trx, webhook.id, reason))) return;
  await failWaiting(trx, webhook.id, 'Not sent: the webhook has been turned off.');
  await enqueueDisabledMail(trx, {
    user: { id: webhook.userId, email: webhook.email, language: webhook.language },
    webhook,
    reason,
    publicUrl: config.publicUrl,
    createdAt: now,
  });
}

/** Receivers may ask for a longer pause than the next delay. */
function waitAskedBy({ response }: AttemptOutcome): number {
  return Math.min((response && findRetryAfter(response)) ?? 0, LONGEST_PAUSE_MS);
}

function toColumns({ url, headers, response, error, durationMs }: AttemptOutcome) {
  return {
    requestUrl: url,
    requestHeaders: JSON.stringify(headers),
    status: response?.status ?? null,
    error,
    durationMs,
    responseHeaders: response ? JSON.stringify(response.headers) : null,
    responseBody: response?.body ?? null,
    isTruncated: response?.isTruncated ? 1 : 0,
  } as const;
}

const LONGEST_PAUSE_MS = HOUR_MS;

/** From the DNS lookup to the end of the response. */
const TIMEOUT_MS = 15 * SECOND_MS;

/** What the log keeps of an attempt: nothing that other services treat as a secret. */
type AttemptOutcome = {
  url: string;
  headers: Header[];
  response: PostResponse | undefined;
  /** A sentence for the owner; null if delivered. */
  error: string | null;
  durationMs: number;
};

type Deps = Pick<Context, 'config' | 'clock' | 'secret' | 'previousSecret'>;
type Sent = Pick<WebhookDeliveryRow, 'id' | 'body'>;

/** Throws only if `signal` is aborted. */
async function send(
  deps: Deps,
  { webhook, delivery, signal }: { webhook: Receiver; delivery: Sent; signal: AbortSignal },
): Promise<AttemptOutcome> {
  const startedAt = performance.now();
  const request = composeRequest(deps, webhook, delivery);
  const end = (rest: Pick<AttemptOutcome, 'response' | 'error'>): AttemptOutcome => ({
    url: webhook.url,
    headers: request?.shownHeaders ?? [],
    durationMs: Math.round(performance.now() - startedAt),
    ...rest,
  });
  if (!request) {
    const error = formatOf(webhook) === 'sendwell' ? UNREADABLE_SECRET : UNREADABLE_TARGET;
    return end({ response: undefined, error });
  }
  const { url, headers, body } = request;
  try {
    const response = await post(deps, { url, headers, body, signal });
    return end({ response: request.hideSecrets(response), error: request.explain(response) });
  } catch (error) {
    if (signal.aborted) throw error;
    return end({ response: undefined, error: explainFailure(error) });
  }
}

const UNREADABLE_SECRET =
  'The secret of this webhook can no longer be read, because the secret of this server has changed. Please rotate it.';

const UNREADABLE_TARGET =
  'The address of this webhook can no longer be read, because the secret of this server has changed. Please enter it again.';

type OutgoingRequest = {
  url: string;
  headers: Header[];
  body: string;
  /** As the log shows them. */
  shownHeaders: Header[];
  hideSecrets(response: PostResponse): PostResponse;
  /** A sentence for the owner; null if delivered. */
  explain(response: PostResponse): string | null;
};

/** Undefined if a sealed secret can't be read. */
function composeRequest(deps: Deps, webhook: Receiver, delivery: Sent): OutgoingRequest | undefined {
  const format = formatOf(webhook);
  if (format === 'sendwell') {
    const headers = composeHeaders(deps, webhook, delivery);
    if (!headers) return undefined;
    return {
      url: webhook.url,
      headers,
      body: delivery.body,
      shownHeaders: headers,
      hideSecrets: (response) => response,
      explain: ({ status }) => explainStatus(status),
    };
  }
  const { secret, previousSecret, config } = deps;
  const message = composeMessage({ secret, previousSecret, publicUrl: config.publicUrl }, format, {
    webhook,
    event: delivery.body,
  });
  return message && { ...message, explain: (response) => explainAnswer(format, response, webhook.language) };
}

type Request = { url: string; headers: Header[]; body: string; signal: AbortSignal };

async function post({ config }: Deps, { url, ...request }: Request): Promise<PostResponse> {
  const startedAt = performance.now();
  const target = await findTarget(url, {
    allowPrivate: config.webhookAllowPrivate,
    allowedHosts: config.webhookHosts,
  });
  const timeoutMs = Math.round(TIMEOUT_MS - (performance.now() - startedAt));
  if (timeoutMs <= 0) throw new OutgoingRefusal('The host name could not be found in time.');
  return postTo(target, { ...request, timeoutMs, maxResponseBytes: WEBHOOK_ANSWER_BYTES });
}

function composeHeaders(deps: Deps, webhook: WebhookRow, { id, body }: Sent): Header[] | undefined {
  const timestamp = Math.floor(deps.clock.now() / SECOND_MS);
  const signature = sign(deps, webhook, { id, timestamp, body });
  if (signature === undefined) return undefined;
  return [
    { name: 'content-type', value: 'application/json' },
    { name: 'user-agent', value: 'Sendwell-Webhooks/1.0' },
    { name: 'accept-encoding', value: 'identity' },
    { name: 'webhook-id', value: id },
    { name: 'webhook-timestamp', value: String(timestamp) },
    { name: 'webhook-signature', value: signature },
  ];
}

function explainStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The receiver responded with a redirect (${status}). Redirects are not followed: please use the final URL.`;
  if (status === 410) return 'The receiver responded with 410 Gone: it wants no more events.';
  return `The receiver responded with ${status}.`;
}

/** Delay after each failed attempt; a day in total. */
const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
];

/** Share by which a retry may come earlier, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** A webhook is disabled when all attempts have failed for this long. */
const GIVE_UP_WEBHOOK_MS = 3 * DAY_MS;

/** Milliseconds; undefined after the last attempt. `random` is in [0, 1). */
function findNextDelay(failedAttempts: number, random: number): number | undefined {
  const delay = DELAYS_MS[failedAttempts - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER * random));
}
