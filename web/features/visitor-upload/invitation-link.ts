import { invitationPath } from '../../../contracts/values/addresses/links.ts';
import { formatInboxKey, parseInboxKey } from '../../../encryption/inbox-link.ts';

export type InvitationLink = {
  token: string;
  /** The public key in the link of an encrypted invitation. Undefined if there is none, or a damaged one. */
  inboxKey: string | undefined;
  /** The link came with `%23` instead of `#`, so that the key is not in the fragment. */
  isBroken: boolean;
};

const TOKEN_AND_MORE = /^([0-9a-z]{26})(?:#|%(?:25)*23)/;

/** `place` is what follows `/upload/`: the token, after which mail gateways may write `%23` instead of `#`. */
export function readInvitationLink(place: string, hash: string): InvitationLink {
  const token = TOKEN_AND_MORE.exec(place)?.[1];
  const inFragment = parseInboxKey(hash);
  if (token === undefined) return { token: place, inboxKey: inFragment, isBroken: false };
  return { token, inboxKey: inFragment ?? parseInboxKey(place), isBroken: true };
}

/** The address with the key in the fragment, which browsers never send. */
export function repairedPath({ token, inboxKey }: Pick<InvitationLink, 'token' | 'inboxKey'>): string {
  return invitationPath(token) + (inboxKey ? `#${formatInboxKey({ publicKey: inboxKey })}` : '');
}
