import { useParams, useSearchParams } from 'wouter';
import { ID_PATTERN } from '../../../contracts/values/addresses/links.ts';

/** The transfer's token and, in a personal link, the recipient's. */
export type ShareAddress = { token: string; recipientToken: string | undefined };

/** Reads it from the URL. Ignores anything that can't be a recipient's token. */
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
