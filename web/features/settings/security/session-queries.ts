import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, refusalText } from '../../../../client/api-error.ts';
import { endSession, listSessions, type Session } from '../../../../contracts/accounts/settings.ts';
import { call } from '../../../api/call.ts';
import { toast } from '../../../components/feedback/toast.ts';

export const SESSIONS_KEY = ['/api/user/sessions'];

export function useSessions() {
  return useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: ({ signal }) => call(listSessions, { signal }),
    staleTime: 0,
  });
}

/** Ends sessions on other devices. Ended ones leave the list even if others fail. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (sessions: Session[]) => {
      const outcomes = await Promise.allSettled(sessions.map(({ id }) => end(id)));
      const ended = new Set(
        sessions.filter((_session, index) => outcomes[index]?.status === 'fulfilled').map(({ id }) => id),
      );
      client.setQueryData<Session[]>(SESSIONS_KEY, (list) => list?.filter(({ id }) => !ended.has(id)));
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure) throw failure.reason;
    },
    onSuccess: (_nothing, sessions) =>
      toast({
        title: 'Signed out',
        description:
          sessions.length === 1
            ? 'The device has been signed out.'
            : 'All other devices have been signed out.',
      }),
    onError: (error) =>
      toast({ title: 'Sign out failed', description: refusalText(error), variant: 'destructive' }),
  });
}

/** A session that no longer exists counts as ended. */
async function end(id: string): Promise<void> {
  try {
    await call(endSession, { params: { id } });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'session_not_found')) throw error;
  }
}
