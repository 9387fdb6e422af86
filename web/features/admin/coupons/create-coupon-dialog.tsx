import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect } from 'react';
import { useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { CreateCouponInput } from '../../../../contracts/admin/plans.ts';
import { PAID_TIERS, type PaidTier } from '../../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { Button } from '../../../components/actions/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { Select } from '../../../components/form/select.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { readLocalInstant, toNumber } from '../form-values.ts';
import { useCreateCoupon } from './coupon-queries.ts';

type CouponForm = {
  code: string;
  discountPercent: string;
  freeMonths: string;
  tier: PaidTier;
  maxUses: string;
  expiresAt: string;
};

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

const check = checkWith<CouponForm>(CreateCouponInput, toBody);

export function CreateCouponDialog(dialog: { isOpen: boolean; onClose: () => void }) {
  return (
    <FormDialog
      title={t`Create coupon`}
      description={t`People enter its code when they choose a paid plan.`}
      {...dialog}
    >
      {(parts) => <CreateCouponForm {...parts} />}
    </FormDialog>
  );
}

function CreateCouponForm({ onChanged, onCancel, onSaved }: FormDialogParts) {
  const form = useContractForm({
    check,
    defaultValues,
    // Validate while typing, because an invalid number hides the preview.
    mode: 'onChange',
  });
  const { run } = useCreateCoupon(form);
  const { isDirty, isSubmitting } = form.formState;
  const { tier, ...typed } = toBody(useWatch({ control: form.control }) as CouponForm);
  const gift = Gift.safeParse(typed);
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const bindNumber = (name: keyof CouponForm) =>
    ({ ...bindField(form, name), type: 'number', inputMode: 'numeric' }) as const;
  const submit = form.handleSubmit(async (values) => {
    if (await run({ body: toBody(values) })) onSaved();
  });
  return (
    <form noValidate aria-label={t`Create coupon`} onSubmit={submit}>
      <div className="grid gap-5 sm:grid-cols-2 [&_input]:scroll-mb-28">
        <TextField
          label={t`Code`}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={50}
          {...bindField(form, 'code')}
          onInput={({ currentTarget: field }) => forceUpperCase(field)}
        />
        <Select
          label={t`Plan`}
          options={PAID_TIERS.map((each) => ({ value: each, label: tierLabel(each) }))}
          {...bindField(form, 'tier')}
        />
        <TextField label={t`Discount in percent`} min={0} max={100} {...bindNumber('discountPercent')} />
        <TextField label={t`Free months`} min={0} {...bindNumber('freeMonths')} />
        <TextField
          label={t`Max uses`}
          isOptional
          min={1}
          hint={t`Leave empty for no limit`}
          {...bindNumber('maxUses')}
        />
        <TextField
          label={t`Expires`}
          isOptional
          type="datetime-local"
          hint={t`Leave empty for never`}
          {...bindField(form, 'expiresAt')}
        />
      </div>
      <p className="mt-5 min-h-[1lh] text-sm text-ink-soft" aria-live="polite">
        {gift.success && describeGift(gift.data, tierLabel(tier))}
      </p>
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isSubmitting} busyLabel={t`Creating...`} className="max-sm:grow">
          <Trans>Create Coupon</Trans>
        </Button>
      </FormDialogFooter>
    </form>
  );
}

function describeGift({ discountPercent, freeMonths }: z.output<typeof Gift>, plan: string): string {
  const months = plural(freeMonths, { one: '# free month', other: '# free months' });
  if (freeMonths === 0) return t`Gives ${discountPercent}% off on the ${plan} plan.`;
  if (discountPercent === 0) return t`Gives ${months} on the ${plan} plan.`;
  return t`Gives ${discountPercent}% off and ${months} on the ${plan} plan.`;
}

/** Codes are stored in upper case. Keeps the caret position. */
function forceUpperCase(field: HTMLInputElement): void {
  const { selectionStart, selectionEnd, value } = field;
  if (value === value.toUpperCase()) return;
  field.value = value.toUpperCase();
  field.setSelectionRange(selectionStart, selectionEnd);
}
