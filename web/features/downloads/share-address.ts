import { useParams, useSearchParams } from 'react-router';
import { ID_PATTERN } from '../../../contracts/values/links.ts';

/** What the page was opened by: the transfer's token and, in a recipient's own link, theirs. */
export type ShareAddress = { token: string; recipientToken: string | undefined };

/** Reads it from the address bar, where anything may stand: what cannot be a recipient's token is left out. */
export function useShareAddress(): ShareAddress {
  const { token = '' } = useParams();
  const [search] = useSearchParams();
  const recipientToken = search.get('r') ?? '';
  return { token, recipientToken: ID_PATTERN.test(recipientToken) ? recipientToken : undefined };
}

/** Identifies the personal link in API calls. */
export function recipientQuery({ recipientToken }: ShareAddress): { r?: string } {
  return recipientToken === undefined ? {} : { r: recipientToken };
}
