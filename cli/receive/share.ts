import { ID_PATTERN } from '../../contracts/values/ids.ts';
import { parseServer } from '../account.ts';
import { usageError } from '../exits.ts';

/** A share link, taken apart. */
export type Share = {
  server: string;
  token: string;
  /** Of a recipient's own link. */
  recipientToken: string | undefined;
};

/** Takes the link as it stands in a mail or an address bar, or a bare token of `server`. Throws CommandError. */
export function parseShare(text: string | undefined, server: string | undefined): Share {
  if (!text) throw usageError('Which transfer? Give its link.');
  if (ID_PATTERN.test(text)) return { server: parseServer(server), token: text, recipientToken: undefined };
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const [, base, token] = /^(.*)\/download\/([0-9a-z]{26})(?:\/.*)?$/.exec(url?.pathname ?? '') ?? [];
  if (!url || token === undefined) throw usageError(`“${text}” is not the link of a transfer.`);
  const recipient = url.searchParams.get('r') ?? '';
  return {
    server: url.origin + (base === '/api' ? '' : base),
    token,
    recipientToken: ID_PATTERN.test(recipient) ? recipient : undefined,
  };
}

export function isShare(text: string): boolean {
  return ID_PATTERN.test(text) || /\/download\/[0-9a-z]{26}/.test(text);
}
