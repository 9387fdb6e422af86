import { SECOND_FACTORS, STEP_UP_MINUTES } from '../../../../contracts/accounts/sign-in.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Identity } from '../../../platform/http/routing/identity.ts';
import { AppError } from '../../../platform/lib/app-error.ts';

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

const STRONG: ReadonlySet<string> = new Set(SECOND_FACTORS);
