import { PAGES } from '../../../contracts/pages.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { enqueuePasswordChangedMail } from './emails.ts';
import { deletePasswordResetsOf } from './password-reset-queries.ts';
import { updateUser } from './queries.ts';
import { deleteSessionsOf } from './session-queries.ts';

type Change = {
  passwordHash: string;
  emailVerified?: 1;
  /** The one session that goes on; all end without it. */
  keepSession?: string | null;
};

/**
 * Sets another password for a user whose row the transaction holds: first the user, then the sessions, so that
 * who signs in with the old one meanwhile is refused or signed out (race 22). Links for a new password that
 * wait in a mailbox become void, and the user is told by mail.
 */
export async function replacePassword(
  { db: trx, clock, config }: Pick<Context, 'clock' | 'config'> & { db: Trx },
  { id }: Pick<UserRow, 'id'>,
  { keepSession = null, ...columns }: Change,
): Promise<UserRow> {
  const user = await updateUser(trx, id, columns);
  await deleteSessionsOf(trx, id, { except: keepSession });
  await deletePasswordResetsOf(trx, id);
  const resetUrl = config.publicUrl + PAGES.resetPassword;
  await enqueuePasswordChangedMail(trx, user, { resetUrl, createdAt: clock.now() });
  return user;
}
