import type { WebhookFormat } from '../../../../contracts/accounts/webhook-formats.ts';
import { FORMAT_NAMES } from '../../../../contracts/accounts/webhook-formats.ts';
import type { WebhookPayload } from '../../../../contracts/accounts/webhooks.ts';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { UserRow, WebhookRow } from '../../../platform/db/schema.ts';
import type { Secrets } from '../../../platform/http/security/signed-value.ts';
import { toOneLine } from '../../../platform/mail/plain-text.ts';
import { wordingIn } from '../../../platform/mail/wording.ts';
import type { Header, PostResponse } from '../../../platform/outgoing/post.ts';
import { discord } from './discord.ts';
import { gotify } from './gotify.ts';
import { describeEvent } from './message.ts';
import { ntfy } from './ntfy.ts';
import { type Provider, readJson } from './provider.ts';
import { slack } from './slack.ts';
import { openTarget, removeSecrets } from './target.ts';
import { teams } from './teams.ts';

type MessageFormat = Exclude<WebhookFormat, 'sendwell'>;

const PROVIDERS: Record<MessageFormat, Provider> = { slack, teams, discord, ntfy, gotify };

export type Receiver = WebhookRow & Pick<UserRow, 'language'>;

export function formatOf({ format }: Pick<WebhookRow, 'format'>): WebhookFormat {
  return format ?? 'sendwell';
}

/** The JSON of an event as a service gets it, in the owner's language and without secrets. */
export function composeMessageBody(
  format: MessageFormat,
  { event, language, publicUrl }: { event: string; language: UserRow['language']; publicUrl: string },
): string {
  const message = describeEvent(wordingIn(language), JSON.parse(event) as WebhookPayload, publicUrl);
  const { body } = PROVIDERS[format].compose(message, NOWHERE);
  // The topic of ntfy works like a password.
  return JSON.stringify('topic' in body ? { ...body, topic: '…' } : body);
}

const NOWHERE = { url: 'https://example.com/topic', accessToken: null };

type ComposedMessage = {
  url: string;
  headers: Header[];
  body: string;
  /** The headers as they may be shown. */
  shownHeaders: Header[];
  /** Without the secrets of the target. */
  hideSecrets(response: PostResponse): PostResponse;
};

/** Undefined if the target can't be read, because SESSION_SECRET has changed. */
export function composeMessage(
  context: Secrets & { publicUrl: string },
  format: MessageFormat,
  { webhook, event }: { webhook: Receiver; event: string },
): ComposedMessage | undefined {
  const target = openTarget(context, webhook);
  if (!target) return undefined;
  const { compose, secretHeaders = [] } = PROVIDERS[format];
  const parsed = JSON.parse(event) as WebhookPayload;
  const message = describeEvent(wordingIn(webhook.language), parsed, context.publicUrl);
  const { url, headers: ownHeaders = [], body } = compose(message, target);
  const headers = [
    { name: 'content-type', value: 'application/json' },
    { name: 'user-agent', value: 'Sendwell-Webhooks/1.0' },
    { name: 'accept-encoding', value: 'identity' },
    ...ownHeaders,
  ];
  return {
    url,
    headers,
    body: JSON.stringify(body),
    shownHeaders: headers.map(({ name, value }) => ({
      name,
      value: secretHeaders.includes(name) ? '…' : value,
    })),
    hideSecrets: (response) => ({
      ...response,
      headers: response.headers.map(({ name, value }) => ({ name, value: removeSecrets(value, target) })),
      body: removeSecrets(response.body, target),
    }),
  };
}

const DETAIL_LENGTH = 200;

/** Why a service refused a message, in the owner's language. Null for a 2xx. */
export function explainAnswer(
  format: MessageFormat,
  response: PostResponse,
  language: UserRow['language'],
): string | null {
  const { status } = response;
  if (status >= 200 && status < 300) return null;
  const { t } = wordingIn(language);
  const provider = PROVIDERS[format];
  const known = provider.explain(response);
  if (known !== undefined) return t(known);
  const service = FORMAT_NAMES[format];
  const detail = toOneLine(provider.findDetail(response) ?? '', DETAIL_LENGTH);
  return detail
    ? t('{service} responded with {status}: {detail}', { service, status: String(status), detail })
    : t('{service} responded with {status}.', { service, status: String(status) });
}

/** Milliseconds that a receiver asks to wait, by the header or, as Discord does, in its JSON; undefined for none. */
export function findRetryAfter(response: PostResponse): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const header = response.headers.find(({ name }) => name.toLowerCase() === 'retry-after')?.value;
  const seconds = [Number(header ?? Number.NaN), Number(readJson(response).retry_after ?? Number.NaN)];
  const asked = seconds.filter((each) => Number.isFinite(each) && each > 0);
  return asked.length > 0 ? Math.ceil(Math.max(...asked) * SECOND_MS) : undefined;
}
