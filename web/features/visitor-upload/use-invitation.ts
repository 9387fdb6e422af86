import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import { getInvitationDetails, type InvitationDetails } from '../../../contracts/transfers/invitations.ts';
import { call } from '../../api/call.ts';

type LoadedInvitation = {
  details: InvitationDetails | undefined;
  /** Why there is no invitation (any more). */
  error: Error | null;
  refresh: () => void;
  /** Shows that the invitation was closed meanwhile, if that is what this refusal says. */
  noticeRefusal: (refusal: unknown) => void;
};

/** An invitation as its visitors see it. */
export function useInvitation(token: string): LoadedInvitation {
  const [closing, setClosing] = useState<ApiError>();
  // Every visit looks anew: who this browser proved to be changes from one to the next.
  const { data, error, refetch } = useQuery({
    queryKey: ['/api/upload-invitations', token, 'details'],
    queryFn: ({ signal }) => call(getInvitationDetails, { params: { token }, signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const refresh = useCallback(() => void refetch(), [refetch]);
  const noticeRefusal = useCallback((refusal: unknown) => {
    if (isClosing(refusal)) setClosing(refusal);
  }, []);
  return { details: data, error: closing ?? error, refresh, noticeRefusal };
}

/** Disabled, expired or deleted since the page opened. */
function isClosing(refusal: unknown): refusal is ApiError {
  if (!(refusal instanceof ApiError)) return false;
  return refusal.code === 'invitation_closed' || refusal.code === 'invitation_not_found';
}
