import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../../client/api-error.ts';
import { listApiKeys } from '../../../../contracts/accounts/api-keys.ts';
import { listAccountEvents } from '../../../../contracts/accounts/events.ts';
import {
  endSession,
  listSessions,
  type Session,
  signOutEverywhere,
} from '../../../../contracts/accounts/settings.ts';
import { listWebhooks } from '../../../../contracts/accounts/webhooks.ts';
import { call } from '../../../api/call.ts';
import { queryOf, removeRows } from '../../../api/endpoint-query.ts';
import { useAction } from '../../../api/use-action.ts';
import type { SignOutChoice } from '../../../signing-in/sign-out-form.tsx';

export function useSessions() {
  return useQuery({
    ...queryOf(listSessions),
    staleTime: 0,
  });
}

/** Ends a session on another device. */
export function useEndSession() {
  return useAction(
    async ({ id }: Session) => {
      await end(id);
      removeRows(listSessions, id);
    },
    {
      success: { title: t`Signed out`, description: t`The device has been signed out.` },
      failure: t`Sign out failed`,
    },
  );
}

/** Ends all sessions but this one. */
export function useSignOutEverywhere() {
  return useAction(
    (choice: SignOutChoice) => call(signOutEverywhere, { body: { ...choice, keepThis: true } }),
    {
      refreshes: [listSessions, listApiKeys, listWebhooks, listAccountEvents],
      success: { title: t`Signed out`, description: t`All other devices have been signed out.` },
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
