import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { ApiError, errorDetail } from '../../client/api-error.ts';
import { confirmDemoPayment } from '../../contracts/plans/billing.ts';
import { bindField, useContractForm } from '../api/forms/contract-form.ts';
import type { FormErrors } from '../api/forms/field-errors.ts';
import { useSite } from '../api/site.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/actions/button.tsx';
import { DialogFooter } from '../components/dialogs/dialog.tsx';
import { TextField } from '../components/form/text-field.tsx';
import { type CardFormProps, describePaymentFailure } from './card-form.tsx';
import { checkCardNumber, checkCvc, checkExpiry, groupCardNumber, shapeExpiry } from './card-number.ts';

type Card = { cardNumber: string; expiry: string; cvc: string };

/** The demo provider moves no money. Repeats the checks that a real provider's form makes. */
export function DemoCardForm({ payment, submitLabel, onWorking, onPaid }: CardFormProps) {
  const form = useContractForm<Card>({
    check: checkCard,
    defaultValues: { cardNumber: '', expiry: '', cvc: '' },
  });
  const { handleSubmit, setValue, formState } = form;
  const { run } = useAction(confirmDemoPayment, {
    form,
    toErrors: (error) =>
      error instanceof ApiError && error.code === 'payment_declined' ? { cardNumber: error.detail } : {},
    // Not awaited: it lasts until the payment is confirmed.
    onSuccess: () => void onPaid(),
    failure: (error) => describePaymentFailure(errorDetail(error)),
  });
  const pay = async (card: Card) => {
    onWorking(true);
    await run({ body: { clientSecret: payment.clientSecret, ...card } });
    onWorking(false);
  };
  const shaped = (
    field: UseFormRegisterReturn<keyof Card> & { error: ReactNode },
    shape: (typed: string) => string,
  ) => ({
    ...field,
    onChange: async (event: { target: HTMLInputElement }) => {
      const { target } = event;
      const isAtEnd = target.selectionStart === target.value.length;
      // Formatting in the middle of the text would move the caret.
      if (isAtEnd || target.value.length < 4) target.value = shape(target.value);
      await field.onChange(event);
    },
  });
  const cardNumber = bindField(form, 'cardNumber', {
    onBlur: ({ target }) => setValue('cardNumber', groupCardNumber(target.value)),
  });
  return (
    <form noValidate onSubmit={handleSubmit(pay)} aria-label={t`Card`}>
      <DemoMark />
      <div className="mt-5 grid grid-cols-2 gap-x-4 gap-y-5">
        <TextField
          label={t`Card number`}
          autoComplete="cc-number"
          inputMode="numeric"
          placeholder="4242 4242 4242 4242"
          spellCheck={false}
          className="col-span-2"
          {...shaped(cardNumber, groupCardNumber)}
        />
        <TextField
          label={t`Expiry`}
          autoComplete="cc-exp"
          inputMode="numeric"
          placeholder="MM/YY"
          {...shaped(bindField(form, 'expiry'), shapeExpiry)}
        />
        <TextField
          label="CVC"
          autoComplete="cc-csc"
          inputMode="numeric"
          placeholder="123"
          maxLength={4}
          {...bindField(form, 'cvc')}
        />
      </div>
      <DialogFooter>
        <Button
          type="submit"
          size="lg"
          className="w-full"
          isBusy={formState.isSubmitting}
          busyLabel={t`Processing...`}
        >
          {submitLabel}
        </Button>
      </DialogFooter>
    </form>
  );
}

function checkCard({ cardNumber, expiry, cvc }: Card): FormErrors<Card> {
  const errors = {
    cardNumber: checkCardNumber(cardNumber),
    expiry: checkExpiry(expiry, Date.now()),
    cvc: checkCvc(cvc),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, mistake]) => mistake));
}

function DemoMark() {
  const { site } = useSite();
  return (
    <p className="flex items-start gap-3 rounded-md border border-dashed border-edge px-4 py-3 text-sm">
      <FlaskConical
        aria-hidden="true"
        strokeWidth={1.75}
        className="mt-0.5 size-5 shrink-0 text-accent-ink"
      />
      <span>
        <Trans>
          Demo: no real payment. Use <span className="tabular whitespace-nowrap">4242 4242 4242 4242</span>.
        </Trans>{' '}
        {site?.isDemoPublic && <Trans>This server takes no money, so please don't enter a real card.</Trans>}
      </span>
    </p>
  );
}
