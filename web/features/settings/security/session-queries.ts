import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../../client/api-error.ts';
import { endSession, listSessions, type Session } from '../../../../contracts/accounts/settings.ts';
import { call } from '../../../api/call.ts';
import { queryOf, removeRows } from '../../../api/endpoint-query.ts';
import { useAction } from '../../../api/use-action.ts';

export function useSessions() {
  return useQuery({
    ...queryOf(listSessions),
    staleTime: 0,
  });
}

/** Ends sessions on other devices. Ended ones leave the list even if others fail. */
export function useEndSessions() {
  return useAction(
    async (sessions: Session[]) => {
      const outcomes = await Promise.allSettled(sessions.map(({ id }) => end(id)));
      const ended = sessions.filter((_session, index) => outcomes[index]?.status === 'fulfilled');
      removeRows(listSessions, ...ended.map(({ id }) => id));
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure) throw failure.reason;
    },
    {
      success: (_nothing, sessions) => ({
        title: t`Signed out`,
        description:
          sessions.length === 1
            ? t`The device has been signed out.`
            : t`All other devices have been signed out.`,
      }),
      failure: t`Sign out failed`,
    },
  );
}

/** A session that no longer exists counts as ended. */
async function end(id: string): Promise<void> {
  try {
    await call(endSession, { params: { id } });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'session_not_found')) throw error;
  }
}
