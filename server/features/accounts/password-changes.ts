import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { offerSecuring } from './account-alerts.ts';
import { enqueuePasswordChangedMail } from './emails.ts';
import { deletePasswordResetsOf } from './password-reset-queries.ts';
import { updateUser } from './queries.ts';
import { deleteSessionsOf } from './session-queries.ts';

type Change = {
  passwordHash: string;
  emailVerified?: 1;
  /** The session to keep; all end without it. */
  keepSession?: string | null;
};

/**
 * Sets another password for a user whose row the transaction holds: first the user, then the sessions, so that
 * a sign-in with the old password that runs meanwhile is refused or signed out. Mailed links for a new password
 * become void, and the user gets a mail with a link for "This wasn't me".
 */
export async function replacePassword(
  deps: Pick<Context, 'clock' | 'config'> & { db: Trx },
  { id }: Pick<UserRow, 'id'>,
  { keepSession = null, ...columns }: Change,
): Promise<UserRow> {
  const { db: trx, clock } = deps;
  const user = await updateUser(trx, id, columns);
  await deleteSessionsOf(trx, id, { except: keepSession });
  await deletePasswordResetsOf(trx, id);
  const secureUrl = await offerSecuring(deps, user);
  await enqueuePasswordChangedMail(trx, user, { secureUrl, createdAt: clock.now() });
  return user;
}
