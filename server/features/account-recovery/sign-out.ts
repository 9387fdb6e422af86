import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { SignedOut, SignOut } from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { deleteSessionsOf, lockAccount, recordAccountEvent } from '../accounts/index.ts';
import { disableAccess } from './recovery.ts';

type Choice = z.output<typeof SignOut> & {
  userId: string;
  /** The session that stays. */
  keep?: string | null;
  /** Undefined for acts of administrators. */
  request?: FastifyRequest;
};

/**
 * Ends an account's sessions and, by choice, disables its API keys and webhooks. Undefined if there is no such account.
 */
export async function signOutEverywhere(
  deps: Pick<Context, 'clock'> & { db: Trx },
  { userId, apiKeys, webhooks, keep = null, request }: Choice,
): Promise<{ user: UserRow; ended: SignedOut } | undefined> {
  const user = await lockAccount(deps.db, userId);
  if (!user) return undefined;
  const sessions = await deleteSessionsOf(deps.db, userId, { except: keep });
  const disabled = await disableAccess(deps, user, 'signed-out', { apiKeys, webhooks });
  await recordAccountEvent(deps, { userId, kind: 'sessions-ended', request });
  return { user, ended: { sessions, ...disabled } };
}
