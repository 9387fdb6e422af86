import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { errorDetail } from '../../../client/api-error.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { maxExpirationDays } from '../../../contracts/transfers/settings/settings-rules.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { bindField, useContractForm } from '../../api/forms/contract-form.ts';
import { Button } from '../../components/actions/button.tsx';
import { DialogFooter } from '../../components/dialogs/dialog.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import type { SettingsPlan } from '../../transfer-settings/settings-form.ts';
import { checkDays } from '../../transfer-settings/settings-refusals.ts';

type Days = { days: string };

/** A form for a new expiry in days from now; starts with the most that the plan allows. */
export function useDaysForm({ retentionDays }: SettingsPlan) {
  const form = useContractForm({
    check: ({ days }: Days) => {
      const mistake = checkDays(toDays(days), retentionDays);
      return mistake ? { days: mistake } : {};
    },
    defaultValues: { days: String(maxExpirationDays(retentionDays)) },
  });
  return { form, toErrors: (error: Error) => ({ days: errorDetail(error) }) };
}

type DaysFormProps = {
  form: UseFormReturn<Days>;
  plan: SettingsPlan;
  /** What a valid number of days means; `end` in epoch milliseconds. */
  describe: (end: number) => ReactNode;
  submitLabel: string;
  isPending: boolean;
  onSubmit: (days: number) => unknown;
  onClose: () => void;
};

export function DaysForm({ form, plan, describe, submitLabel, isPending, onSubmit, onClose }: DaysFormProps) {
  const longest = maxExpirationDays(plan.retentionDays);
  const days = toDays(form.watch('days'));
  return (
    <form noValidate onSubmit={form.handleSubmit((values) => onSubmit(toDays(values.days)))}>
      <TextField
        label={t`Days from now`}
        type="number"
        inputMode="numeric"
        min={1}
        max={longest}
        hint={t`At most ${longest} on the ${tierLabel(plan.tier)} plan.`}
        {...bindField(form, 'days')}
      />
      <div className="mt-4 text-sm text-ink-soft" aria-live="polite">
        {!checkDays(days, plan.retentionDays) && describe(Date.now() + days * DAY_MS)}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isPending}>
          {submitLabel}
        </Button>
      </DialogFooter>
    </form>
  );
}

function toDays(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : 0;
}
