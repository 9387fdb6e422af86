import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import {
  getInvitationDetails,
  type InvitationDetails,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { queryOf } from '../../api/endpoint-query.ts';

type LoadedInvitation = {
  details: InvitationDetails | undefined;
  /** Epoch milliseconds. Changes with every answer. */
  fetchedAt: number;
  /** Why the invitation can't be shown, or is closed. */
  error: Error | null;
  refresh: () => void;
  /** Shows that the invitation was closed, if the refusal says so. */
  handleRefusal: (refusal: unknown) => void;
  /** Refetches the remaining limits, here and in other windows with this invitation. */
  announceDelivery: () => void;
};

export function useInvitation(token: string): LoadedInvitation {
  const [closed, setClosed] = useState<ApiError>();
  // Refetched on every visit and return, because the verified address and the remaining limits change.
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    ...queryOf(getInvitationDetails, { params: { token } }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: 'always',
  });
  const refresh = useCallback(() => void refetch(), [refetch]);
  const handleRefusal = useCallback((refusal: unknown) => {
    if (meansClosed(refusal)) setClosed(refusal);
  }, []);
  const tellOthers = useOtherWindows(token, refresh);
  const announceDelivery = () => {
    refresh();
    tellOthers();
  };
  // A lost connection must not end what the visitor is doing.
  const fatal = data && !meansClosed(error) ? null : error;
  return {
    details: data,
    fetchedAt: dataUpdatedAt,
    error: closed ?? fatal,
    refresh,
    handleRefusal,
    announceDelivery,
  };
}

/** Calls `onDelivery` when another window with this invitation has delivered. Returns how to tell the others. */
function useOtherWindows(token: string, onDelivery: () => void): () => void {
  const [channel, setChannel] = useState<BroadcastChannel>();
  useEffect(() => {
    const opened = new BroadcastChannel(`invitation ${token}`);
    opened.onmessage = onDelivery;
    setChannel(opened);
    return () => opened.close();
  }, [token, onDelivery]);
  return () => channel?.postMessage('delivered');
}

/** The invitation was disabled, expired or deleted since the page opened. */
function meansClosed(refusal: unknown): refusal is ApiError {
  if (!(refusal instanceof ApiError)) return false;
  return refusal.code === 'invitation_closed' || refusal.code === 'invitation_not_found';
}
