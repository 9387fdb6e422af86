import {
  SECOND_FACTORS,
  type SignInMethod,
  STEP_UP_MINUTES,
} from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { Identity } from '../../../platform/http/routing/identity.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { requireCurrentPassword } from '../passwords/password-changes.ts';
import { UNKNOWN_USER_HASH } from '../passwords/passwords.ts';

/**
 * Throws AppError `step_up_required` unless the user signed in or confirmed within the last `STEP_UP_MINUTES` minutes,
 * with a second factor if the account has one.
 */
export function requireStepUp(
  { clock }: Pick<Context, 'clock'>,
  { user, authentication }: Pick<Identity, 'user' | 'authentication'>,
): void {
  const isRecent =
    authentication !== undefined && authentication.at > clock.now() - STEP_UP_MINUTES * MINUTE_MS;
  const isStrong =
    !user.hasSecondFactor || authentication?.methods.some((method) => STRONG.has(method)) === true;
  if (!isRecent || !isStrong) throw new AppError('step_up_required');
}

/**
 * Protects the password, the email address and the account itself: requires the current password if there is one, and
 * a recent sign-in if the account has a second factor or no password. The caller must then lock the row with
 * `lockUserWithPassword`. Throws AppError `step_up_required`, `wrong_current_password` and `too_many_requests`.
 */
export async function requireOwner(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  identity: Pick<Identity, 'user' | 'authentication'>,
  { password, field }: { password: string | undefined; field: string },
): Promise<void> {
  const { user } = identity;
  const hasPassword = user.passwordHash !== UNKNOWN_USER_HASH;
  if (user.hasSecondFactor || !hasPassword) requireStepUp(context, identity);
  if (!hasPassword) return;
  if (password === undefined)
    throw new AppError('invalid_input', { errors: { [field]: 'Please enter your current password.' } });
  await requireCurrentPassword(context, user, { password, field });
}

/** Records a new proof in a session. Call it in the transaction that used the proof up. */
export async function strengthenSession(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  sessionId: string,
  method: SignInMethod,
): Promise<void> {
  const session = await trx
    .selectFrom('sessions')
    .select('methods')
    .where('id', '=', sessionId)
    .executeTakeFirst();
  const methods = new Set([...parseMethods(session?.methods ?? null), method]);
  await trx
    .updateTable('sessions')
    .set({ methods: JSON.stringify([...methods]), authenticatedAt: clock.now() })
    .where('id', '=', sessionId)
    .execute();
}

/** Sessions of releases without this column were signed in by password. */
export function parseMethods(methods: string | null): SignInMethod[] {
  return methods === null ? ['password'] : (JSON.parse(methods) as SignInMethod[]);
}

const STRONG: ReadonlySet<string> = new Set(SECOND_FACTORS);
