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

/** Usually because the object's state does not allow the request. */
export function isRefused(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

/** For changes that may have been made already: the SDK repeats unanswered requests. */
export async function ignoreRefusal(change: Promise<unknown>, isDone = isRefused): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isDone(error)) throw error;
  }
}

/**
 * A declined card becomes `payment_declined` with Stripe's message, an unknown id `payment_not_found`,
 * anything else `payments_unavailable` with a cause for the log.
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
