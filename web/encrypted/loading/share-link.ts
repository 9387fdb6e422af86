import { ID_PATTERN } from '../../../contracts/values/addresses/links.ts';
import type { Bytes } from '../../../encryption/bytes.ts';
import { formatKey, parseKey } from '../../../encryption/link.ts';

export type ShareLink = {
  token: string;
  recipientToken: string | undefined;
  /** Undefined: the link came without its key, or with a damaged one. */
  linkSecret: Bytes | undefined;
  /** The key was in the path, so that the server, and whatever rewrote the link, have seen it. */
  wasExposed: boolean;
};

type Address = { pathname: string; search: string; hash: string };

/**
 * Reads `/e/TOKEN?r=RECIPIENT#1.KEY`. Mail gateways may write `%23` instead of `#`, which puts the key into the path or
 * the query. Undefined without a token.
 */
export function readShareLink({ pathname, search, hash }: Address): ShareLink | undefined {
  const token = pathname.slice('/e/'.length, '/e/'.length + 26);
  if (!ID_PATTERN.test(token)) return undefined;
  const recipient = new URLSearchParams(search).get('r')?.slice(0, 26) ?? '';
  const inFragment = parseKey(hash);
  const linkSecret = inFragment ?? parseKey(pathname + search);
  return {
    token,
    recipientToken: ID_PATTERN.test(recipient) ? recipient : undefined,
    linkSecret,
    wasExposed: !inFragment && linkSecret !== undefined,
  };
}

/** The address with the key in the fragment, where browsers never send it. */
export function repairedAddress({ token, recipientToken, linkSecret }: ShareLink): string {
  const query = recipientToken === undefined ? '' : `?r=${recipientToken}`;
  return `/e/${token}${query}${linkSecret ? `#${formatKey(linkSecret)}` : ''}`;
}
