import { WEBHOOK_ANSWER_BYTES } from '../../../contracts/accounts/webhooks.ts';
import type { Context } from '../../context.ts';
import type { WebhookDeliveryRow, WebhookRow } from '../../platform/db/schema.ts';
import { SECOND_MS } from '../../platform/lib/clock.ts';
import { type Answer, type Header, postTo } from '../../platform/outgoing/post.ts';
import { explainFailure, OutgoingRefusal } from '../../platform/outgoing/refusal.ts';
import { findTarget } from '../../platform/outgoing/target.ts';
import { sign } from './secrets.ts';

/** From looking the host up to the end of the answer. */
const TIMEOUT_MS = 15 * SECOND_MS;

/** What came of one try. */
export type Outcome = {
  url: string;
  headers: Header[];
  answer: Answer | undefined;
  /** Why it failed, in a sentence; null: it was delivered. */
  error: string | null;
  durationMs: number;
};

type Deps = Pick<Context, 'config' | 'clock' | 'secret' | 'previousSecret'>;
type Sent = Pick<WebhookDeliveryRow, 'id' | 'body'>;

/** Posts an event to a webhook once. Throws only when `signal` was aborted. */
export async function sendOnce(
  deps: Deps,
  { webhook, delivery, signal }: { webhook: WebhookRow; delivery: Sent; signal: AbortSignal },
): Promise<Outcome> {
  const startedAt = performance.now();
  const headers = composeHeaders(deps, webhook, delivery);
  const end = (rest: Pick<Outcome, 'answer' | 'error'>): Outcome => ({
    url: webhook.url,
    headers: headers ?? [],
    durationMs: Math.round(performance.now() - startedAt),
    ...rest,
  });
  if (!headers) return end({ answer: undefined, error: UNREADABLE_SECRET });
  try {
    const answer = await post(deps, { url: webhook.url, headers, body: delivery.body, signal });
    return end({ answer, error: judge(answer.status) });
  } catch (error) {
    if (signal.aborted) throw error;
    return end({ answer: undefined, error: explainFailure(error) });
  }
}

const UNREADABLE_SECRET =
  'The secret of this webhook can no longer be read, because the secret of this server has changed. Please rotate it.';

type Request = { url: string; headers: Header[]; body: string; signal: AbortSignal };

async function post({ config }: Deps, { url, ...request }: Request): Promise<Answer> {
  const startedAt = performance.now();
  const target = await findTarget(url, {
    allowPrivate: config.webhookAllowPrivate,
    allowedHosts: config.webhookHosts,
  });
  const timeoutMs = Math.round(TIMEOUT_MS - (performance.now() - startedAt));
  if (timeoutMs <= 0) throw new OutgoingRefusal('The host name could not be found in time.');
  return postTo(target, { ...request, timeoutMs, answerBytes: WEBHOOK_ANSWER_BYTES });
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

function judge(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The receiver answered with a redirect (${status}). Redirects are not followed: please give the final address.`;
  if (status === 410) return 'The receiver answered 410 Gone: it wants no more events.';
  return `The receiver answered ${status}.`;
}
