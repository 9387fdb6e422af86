import { useEffect } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { CreateCouponInput } from '../../../../contracts/admin/plans.ts';
import { PAID_TIERS, type PaidTier } from '../../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { countOf } from '../../../../contracts/values/format.ts';
import { findFieldErrors, showFieldErrors } from '../../../api/field-errors.ts';
import { Button } from '../../../components/actions/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { Select } from '../../../components/form/select.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { readLocalInstant, resolveWith, toNumber } from '../form-values.ts';
import { useCreateCoupon } from './coupon-queries.ts';

type CouponForm = {
  code: string;
  discountPercent: string;
  freeMonths: string;
  tier: PaidTier;
  maxUses: string;
  expiresAt: string;
};

const FIELDS = ['code', 'discountPercent', 'freeMonths', 'tier', 'maxUses', 'expiresAt'] as const;
const defaultValues: CouponForm = {
  code: '',
  discountPercent: '0',
  freeMonths: '0',
  tier: 'pro',
  maxUses: '',
  expiresAt: '',
};

function toBody({ code, discountPercent, freeMonths, tier, maxUses, expiresAt }: CouponForm) {
  return {
    code,
    discountPercent: toNumber(discountPercent),
    freeMonths: toNumber(freeMonths),
    tier,
    maxUses: maxUses.trim() ? toNumber(maxUses) : undefined,
    expiresAt: readLocalInstant(expiresAt),
  };
}

/** The fields that the preview describes. */
const Gift = CreateCouponInput.pick({ discountPercent: true, freeMonths: true }).strip();

const resolver = resolveWith<CouponForm>(CreateCouponInput, toBody);

export function CreateCouponDialog(dialog: { isOpen: boolean; onClose: () => void }) {
  return (
    <FormDialog
      title="Create coupon"
      description="People enter its code when they choose a paid plan."
      {...dialog}
    >
      {(parts) => <CreateCouponForm {...parts} />}
    </FormDialog>
  );
}

function CreateCouponForm({ onChanged, onCancel, onSaved }: FormDialogParts) {
  const { register, handleSubmit, setError, control, formState } = useForm<CouponForm>({
    resolver,
    defaultValues,
    // Mark wrong numbers while typing; the preview disappears for them.
    mode: 'onChange',
  });
  const { mutateAsync } = useCreateCoupon();
  const { errors, isDirty, isSubmitting } = formState;
  const { tier, ...typed } = toBody(useWatch({ control }) as CouponForm);
  const gift = Gift.safeParse(typed);
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const bind = (name: (typeof FIELDS)[number]) => ({ ...register(name), error: errors[name]?.message });
  const bindNumber = (name: (typeof FIELDS)[number]) =>
    ({ ...bind(name), type: 'number', inputMode: 'numeric' }) as const;
  const submit = handleSubmit(async (form) => {
    try {
      await mutateAsync(toBody(form));
      onSaved();
    } catch (error) {
      // The toast already shows the error; also show it at its field.
      showFieldErrors(setError, findFieldErrors(error, FIELDS));
    }
  });
  return (
    <form noValidate aria-label="Create coupon" onSubmit={submit}>
      <div className="grid gap-5 sm:grid-cols-2 [&_input]:scroll-mb-28">
        <TextField
          label="Code"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={50}
          {...bind('code')}
          onInput={({ currentTarget: field }) => forceUpperCase(field)}
        />
        <Select
          label="Plan"
          options={PAID_TIERS.map((each) => ({ value: each, label: tierLabel(each) }))}
          {...bind('tier')}
        />
        <TextField label="Discount in percent" min={0} max={100} {...bindNumber('discountPercent')} />
        <TextField label="Free months" min={0} {...bindNumber('freeMonths')} />
        <TextField label="Max uses" isOptional min={1} hint="Empty: unlimited" {...bindNumber('maxUses')} />
        <TextField
          label="Expires"
          isOptional
          type="datetime-local"
          hint="Empty: never"
          {...bind('expiresAt')}
        />
      </div>
      <p className="mt-5 min-h-[1lh] text-sm text-ink-soft" aria-live="polite">
        {gift.success && `Gives ${describeGift(gift.data)} on the ${tierLabel(tier)} plan.`}
      </p>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" isBusy={isSubmitting} busyLabel="Creating..." className="max-sm:grow">
          Create Coupon
        </Button>
      </FormDialogFooter>
    </form>
  );
}

/** '20% off', '2 free months', or both. */
function describeGift({ discountPercent, freeMonths }: z.output<typeof Gift>): string {
  const parts = [
    discountPercent > 0 && `${discountPercent}% off`,
    freeMonths > 0 && countOf(freeMonths, 'free month'),
  ].filter(Boolean);
  return parts.join(' and ') || 'nothing off';
}

/** Codes are stored in upper case. Keeps the caret position. */
function forceUpperCase(field: HTMLInputElement): void {
  const { selectionStart, selectionEnd, value } = field;
  if (value === value.toUpperCase()) return;
  field.value = value.toUpperCase();
  field.setSelectionRange(selectionStart, selectionEnd);
}
