import { encryptedLink, parseKey } from '../../encryption/link.ts';
import { publicUrl } from '../lib/browser/public-url.ts';

/** The whole link of an encrypted transfer. `key` is the fragment without `#`. */
export function linkWithKey(token: string, key: string): string {
  return encryptedLink(publicUrl(), token, parseKey(key)!);
}

/** Opens the sender's own mail program: the server must not send the key. */
export function mailtoWithLink(
  recipients: readonly string[],
  words: { subject: string; body: string },
): string {
  const to = recipients.map(encodeURIComponent).join(',');
  const query = Object.entries(words).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `mailto:${to}?${query.join('&')}`;
}
