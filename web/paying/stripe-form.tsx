import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Appearance, Stripe, StripeElementsOptionsClientSecret } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { isPaymentPage, PAGES } from '../../contracts/values/addresses/pages.ts';
import { Button } from '../components/actions/button.tsx';
import { DialogFooter } from '../components/dialogs/dialog.tsx';
import type { Theme } from '../lib/browser/theme.ts';
import { useTheme } from '../lib/browser/use-theme.ts';
import { type CardFormProps, FormPlaceholder, sayPaymentFailed } from './card-form.tsx';

/** Stripe's Payment Element sends the card from its own frame to Stripe, never through this page. */
export function StripeForm(props: CardFormProps) {
  const { publishableKey, clientSecret } = props.payment;
  const [tries, setTries] = useState(0);
  const [stripe, setStripe] = useState<Stripe | null | 'failed'>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try asks again.
  useEffect(() => {
    // The address reopens the dialog after the reload, which brings the policy that allows the script.
    if (!mayLoadStripe()) return window.location.reload();
    let isWanted = true;
    setStripe(null);
    openStripe(publishableKey ?? '').then(
      (opened) => isWanted && setStripe(opened ?? 'failed'),
      () => isWanted && setStripe('failed'),
    );
    return () => {
      isWanted = false;
    };
  }, [publishableKey, tries]);
  const options = useMemo<StripeElementsOptionsClientSecret>(
    () => ({ clientSecret, appearance: describeAppearance(theme) }),
    [clientSecret, theme],
  );
  const tryAgain = () => setTries(tries + 1);
  if (stripe === 'failed') return <FormFailure onRetry={tryAgain} />;
  if (!stripe) return <FormPlaceholder />;
  return (
    <Elements key={tries} stripe={stripe} options={options}>
      <CardForm {...props} onLoadError={() => setStripe('failed')} />
    </Elements>
  );
}

function CardForm(props: CardFormProps & { onLoadError: () => void }) {
  const { payment, submitLabel, onWorking, onPaid, onLoadError } = props;
  const stripe = useStripe();
  const elements = useElements();
  const [isReady, setReady] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const pay = async () => {
    if (!stripe || !elements) return;
    const confirmation = {
      elements,
      confirmParams: { return_url: window.location.origin + PAGES.dashboard },
      redirect: 'if_required' as const,
    };
    const { error } =
      payment.intent === 'setup'
        ? await stripe.confirmSetup(confirmation)
        : await stripe.confirmPayment(confirmation);
    if (!error) return onPaid();
    // The form shows its own validation errors.
    if (error.type !== 'validation_error') sayPaymentFailed(error.message ?? t`Please try again.`);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    onWorking(true);
    try {
      await pay();
    } catch {
      sayPaymentFailed(t`The payment provider could not be reached. Please try again.`);
    } finally {
      setBusy(false);
      onWorking(false);
    }
  };
  return (
    <form noValidate onSubmit={submit} aria-label={t`Card`}>
      <div className="relative min-h-40">
        {!isReady && (
          <div className="absolute inset-x-0 top-0">
            <FormPlaceholder />
          </div>
        )}
        <PaymentElement onReady={() => setReady(true)} onLoadError={onLoadError} />
      </div>
      <DialogFooter>
        <Button
          type="submit"
          size="lg"
          className="w-full"
          disabled={!isReady}
          isBusy={isBusy}
          busyLabel={t`Processing...`}
        >
          {submitLabel}
        </Button>
      </DialogFooter>
    </form>
  );
}

function FormFailure({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-col items-start gap-4 py-2">
      <p className="text-ink-soft">
        <Trans>
          The payment form could not be loaded. Please check your connection and make sure that nothing in
          your browser blocks stripe.com.
        </Trans>
      </p>
      <Button variant="secondary" onClick={onRetry}>
        <Trans>Try again</Trans>
      </Button>
    </div>
  );
}

/** Stripe's frames can't read our design tokens. They use system fonts, so that ours isn't served to them. */
export function describeAppearance(theme: Theme): Appearance {
  const styles = getComputedStyle(document.documentElement);
  const token = (name: string) => styles.getPropertyValue(name).trim();
  return {
    theme: theme === 'dark' ? 'night' : 'stripe',
    variables: {
      colorPrimary: token('--accent-ink'),
      colorBackground: token('--surface'),
      colorText: token('--ink'),
      colorTextSecondary: token('--ink-soft'),
      colorTextPlaceholder: token('--ink-faint'),
      colorDanger: token('--danger-ink'),
      fontFamily: 'system-ui, sans-serif',
      fontSizeBase: '16px',
      borderRadius: '14px',
      spacingUnit: '4px',
    },
    rules: {
      '.Input': { border: `1px solid ${token('--edge')}`, boxShadow: 'none' },
      '.Input:focus': {
        border: `1px solid ${token('--accent-ink')}`,
        boxShadow: `0 0 0 1px ${token('--accent-ink')}`,
      },
      '.Input--invalid': { border: `1px solid ${token('--danger-ink')}`, boxShadow: 'none' },
      '.Label': { fontWeight: '500', color: token('--ink') },
    },
  };
}

/** Loads Stripe's library once per key. Rejects if it can't be loaded. */
export function openStripe(publishableKey: string): Promise<Stripe | null> {
  return loadStripe(publishableKey);
}

/**
 * Whether this document's content security policy allows Stripe's script. The policy depends on the URL from which the
 * document was loaded; client-side navigation does not change it.
 */
export function mayLoadStripe(): boolean {
  const [navigation] = performance.getEntriesByType('navigation');
  return navigation === undefined || isPaymentPage(new URL(navigation.name).pathname);
}
