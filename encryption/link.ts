import { type Bytes, fromBase64Url, toBase64Url } from './bytes.ts';

/** After '#', '#' as `%23` (some mail gateways rewrite links), or alone. */
const KEY = /(?:^|#|%(?:25)*23)1\.([\w-]{42}[AEIMQUYcgkosw048])(?![\w-])/;

/** '1.KEY': the fragment of a link, without '#'. */
export function formatKey(linkSecret: Uint8Array): string {
  return `1.${toBase64Url(linkSecret)}`;
}

/** Reads '1.KEY', '#1.KEY', or a whole link, also with `%23` instead of '#'. Undefined if there is no key. */
export function parseKey(text: string): Bytes | undefined {
  const key = KEY.exec(text.trim())?.[1];
  return key === undefined ? undefined : fromBase64Url(key);
}

/** With a recipient token, the link is that recipient's personal one. `server` is like 'https://example.org'. */
export function encryptedLink(
  server: string,
  token: string,
  linkSecret: Uint8Array,
  recipientToken?: string,
): string {
  const query = recipientToken === undefined ? '' : `?r=${recipientToken}`;
  return `${server.replace(/\/$/, '')}/e/${token}${query}#${formatKey(linkSecret)}`;
}
