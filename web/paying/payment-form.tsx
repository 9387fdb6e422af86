import { lazy, Suspense } from 'react';
import type { CardFormProps } from './card-form.ts';
import { DemoCardForm } from './demo-card-form.tsx';
import { FormPlaceholder } from './form-placeholder.tsx';

/** Loaded lazily: the provider's library is heavy, and most users never pay. */
const StripeForm = lazy(() => import('./stripe-form.tsx').then((module) => ({ default: module.StripeForm })));

/** The provider's own form of the card. */
export function PaymentForm(props: CardFormProps) {
  const { provider, clientSecret } = props.payment;
  if (provider === 'demo') return <DemoCardForm {...props} />;
  return (
    <Suspense fallback={<FormPlaceholder />}>
      {/* Stripe's form belongs to one payment for ever. */}
      <StripeForm key={clientSecret} {...props} />
    </Suspense>
  );
}
