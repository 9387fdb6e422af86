import type { WebhookFormat } from '../../../../contracts/accounts/webhook-formats.ts';
import type { WebhookRow } from '../../../platform/db/schema.ts';
import type { Secrets } from '../../../platform/http/security/signed-value.ts';
import { openSealedText, sealText } from '../../../platform/lib/sealed-text.ts';

/** Where the messages for another service go. Both parts are secrets of the owner. */
export type MessageTarget = { url: string; accessToken: string | null };

export const TARGET_PURPOSE = 'webhook-target';

/** Gotify's own examples have the token in the URL; it is moved out, so that no log of a proxy gets it. */
export function normaliseTarget(format: WebhookFormat, { url, accessToken }: MessageTarget): MessageTarget {
  if (format !== 'gotify') return { url, accessToken };
  const parsed = new URL(url);
  const token = accessToken || parsed.searchParams.get('token');
  parsed.search = '';
  parsed.hash = '';
  parsed.pathname = `${parsed.pathname.replace(/\/(message\/?)?$/, '')}/message`;
  return { url: parsed.href, accessToken: token };
}

export function sealTarget({ secret }: Pick<Secrets, 'secret'>, target: MessageTarget): string {
  return sealText({ secret, purpose: TARGET_PURPOSE }, JSON.stringify(target));
}

/** Undefined if SESSION_SECRET has changed and the previous one isn't configured. */
export function openTarget(
  { secret, previousSecret }: Secrets,
  { sealedTarget }: Pick<WebhookRow, 'sealedTarget'>,
): MessageTarget | undefined {
  if (sealedTarget === null) return undefined;
  const text = openSealedText({ secret, previousSecret, purpose: TARGET_PURPOSE }, sealedTarget);
  return text === undefined ? undefined : (JSON.parse(text) as MessageTarget);
}

const SHOWN_END = 4;
/** Shorter secrets, such as topics of ntfy, would be too easy to complete. */
const LONG_SECRET = 16;

/** The address as it is listed and logged: `https://hooks.slack.com/…a1B2`. */
export function maskAddress(format: WebhookFormat, url: string): string {
  if (format === 'sendwell' || format === 'gotify') return url;
  const { origin, pathname, search } = new URL(url);
  const rest = pathname + search;
  return `${origin}/…${rest.length > LONG_SECRET + SHOWN_END ? rest.slice(-SHOWN_END) : ''}`;
}

/** Services may repeat the address or the token in what they answer. */
export function removeSecrets(text: string, { url, accessToken }: MessageTarget): string {
  const { pathname, search, searchParams } = new URL(url);
  const parts = [...pathname.split('/'), search, ...searchParams.values(), accessToken ?? ''];
  const secrets = parts.filter((part) => part.length >= LONG_SECRET);
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}
