import Stripe from 'stripe';
import { AppError } from '../../lib/app-error.ts';

export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}

export function isExisting(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_already_exists';
}

export function isUsedKey(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError;
}

/** The request is refused, usually because the object's state does not allow it. */
export function isRefused(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

/** For a change that may have been made already: the SDK repeats requests that were not answered. */
export async function ignoreRefusal(change: Promise<unknown>, isDone = isRefused): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isDone(error)) throw error;
  }
}

/**
 * A declined card becomes `payment_declined` with Stripe's sentence for its owner, an unknown id `payment_not_found`.
 * Users cannot fix anything else (Stripe is down, it is slow, our key was revoked): it becomes `payments_unavailable`,
 * with the cause for the log.
 */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  if (error instanceof Stripe.errors.StripeCardError) return declined(error.message);
  if (isMissing(error)) return new AppError('payment_not_found', { cause: error });
  return new AppError('payments_unavailable', { cause: error, retryAfterSeconds: 30 });
}

export function declined(reason = 'Your card was declined.'): AppError {
  return new AppError('payment_declined', { details: { reason } });
}
