import { ApiError } from '../../client/api-error.ts';
import type { Subscription } from '../../contracts/plans/billing.ts';
import { fetchSubscription, keepSubscription } from './subscription-queries.ts';

const PAUSE_MS = 1000;
const TRIES = 30;

/**
 * Polls the server until the subscription is as paid for: the provider decides that, never the browser. Returns
 * undefined after half a minute. Retries failed calls. Throws ApiError when the session has ended, and the signal's
 * reason when aborted.
 */
export async function waitForSubscription(
  isReached: (subscription: Subscription) => boolean,
  signal: AbortSignal,
): Promise<Subscription | undefined> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (tried > 0) await pause();
    signal.throwIfAborted();
    const subscription = await askOnce(signal);
    if (!subscription || !isReached(subscription)) continue;
    await keepSubscription(subscription);
    return subscription;
  }
  return undefined;
}

async function askOnce(signal: AbortSignal): Promise<Subscription | undefined> {
  try {
    return await fetchSubscription(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError && error.status === 401) throw error;
    return undefined;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS);
  });
}
