import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import { isPaymentPage } from '../../contracts/values/pages.ts';

/** Stripe's library under this key, loaded from Stripe at the first call. Rejects when it does not come. */
export function openStripe(publishableKey: string): Promise<Stripe | null> {
  return loadStripe(publishableKey);
}

/**
 * Whether this document's policy lets Stripe's script in. The policy is that of the address where the document was
 * loaded; going from page to page inside the application does not change it.
 */
export function mayLoadStripe(): boolean {
  const [navigation] = performance.getEntriesByType('navigation');
  return navigation === undefined || isPaymentPage(new URL(navigation.name).pathname);
}
