import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { errorDetail } from '../../../../client/api-error.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { maxExpirationDays } from '../../../../contracts/transfers/settings-rules.ts';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { bindField, useContractForm } from '../../../api/contract-form.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog, DialogFooter } from '../../../components/actions/dialog.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { checkDays } from '../../../transfer-settings/settings-checks.ts';
import type { SettingsPlan } from '../../../transfer-settings/settings-form.ts';
import { useIsExpired } from '../transfer-badges.tsx';
import { useUpdateTransfer } from '../transfer-queries.ts';

type ExtendDialogProps = {
  transfer: Transfer;
  plan: SettingsPlan;
  isOpen: boolean;
  onClose: () => void;
};

/** Sets a new expiry in days from now. This reopens an expired transfer. */
export function ExtendDialog({ transfer, plan, isOpen, onClose }: ExtendDialogProps) {
  const isExpired = useIsExpired(transfer);
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title={isExpired ? t`Reopen transfer` : t`Extend transfer`}
      description={
        isExpired
          ? t`The files are still here for a few days. The same link works again.`
          : t`The days count from now. The link stays the same.`
      }
    >
      <ExtendForm transfer={transfer} plan={plan} onClose={onClose} />
    </Dialog>
  );
}

/** Mounted while the dialog is open. */
function ExtendForm({ transfer, plan, onClose }: Omit<ExtendDialogProps, 'isOpen'>) {
  const longest = maxExpirationDays(plan.retentionDays);
  const isExpired = useIsExpired(transfer);
  const form = useContractForm({
    check: ({ days }) => {
      const mistake = checkDays(toDays(days), plan.retentionDays);
      return mistake ? { days: mistake } : {};
    },
    defaultValues: { days: String(longest) },
  });
  const days = toDays(form.watch('days'));
  const { run, isPending } = useUpdateTransfer(transfer.id, {
    form,
    toErrors: (error) => ({ days: errorDetail(error) }),
    failure: () => undefined,
    success: ({ expiresAt }) => ({
      title: isExpired ? t`Transfer reopened` : t`Transfer extended`,
      ...(expiresAt && { description: t`It expires on ${formatDateTime(expiresAt)}.` }),
    }),
  });
  const submit = form.handleSubmit(async (values) => {
    if (await run({ expirationDays: toDays(values.days) })) onClose();
  });
  return (
    <form noValidate onSubmit={submit}>
      <TextField
        label={t`Days from now`}
        type="number"
        inputMode="numeric"
        min={1}
        max={longest}
        hint={t`At most ${longest} on the ${tierLabel(plan.tier)} plan.`}
        {...bindField(form, 'days')}
      />
      <p className="mt-4 text-sm text-ink-soft" aria-live="polite">
        {!checkDays(days, plan.retentionDays) &&
          describeEnd(Date.now() + days * DAY_MS, isExpired ? null : transfer.expiresAt)}
      </p>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isPending}>
          {isExpired ? t`Reopen` : t`Extend`}
        </Button>
      </DialogFooter>
    </form>
  );
}

export function toDays(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : 0;
}

/** The new expiry, with a warning if it is sooner than the current one. */
function describeEnd(end: number, present: string | null): string {
  const time = formatDateTime(new Date(end).toISOString());
  const isSooner = present !== null && end < Date.parse(present);
  return isSooner ? t`Expires on ${time}. That is earlier than the current expiry.` : t`Expires on ${time}.`;
}
