import Stripe from 'stripe';
import { AppError } from '../../lib/app-error.ts';

/** What an id is answered with that Stripe does not know (any more). */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}

/** Somebody has made the same thing in the meantime. */
export function isAlreadyThere(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_already_exists';
}

/** The idempotency key has been used with other parameters. */
export function isUsedKey(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError;
}

/** Stripe accepts the request's form, not what it asks for in the present state. */
export function isRefused(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

/** For a change that may have been done before: the library sends again what was not answered. */
export async function unlessRefused(change: Promise<unknown>, isDone = isRefused): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isDone(error)) throw error;
  }
}

/**
 * A declined card is `payment_declined` with the sentence for its owner, an unknown id `payment_not_found`.
 * All else that Stripe says (it is down, it is slow, our key has been revoked) is nothing its user can mend:
 * `payments_unavailable`, with the cause for the log.
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
