import { type FormEvent, useState } from 'react';
import { ApiError, errorDetail } from '../../../../client/api-error.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { maxExpirationDays } from '../../../../contracts/transfers/settings-rules.ts';
import type { TransferDetail } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog, DialogFooter } from '../../../components/actions/dialog.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { TextField } from '../../../components/form/text-field.tsx';
import { checkDays } from '../../../transfer-settings/settings-checks.ts';
import type { SettingsPlan } from '../../../transfer-settings/settings-form.ts';
import { useIsExpired } from '../transfer-badges.tsx';
import { refreshTransfer, useUpdateTransfer } from '../transfer-queries.ts';
import { formatDateTime } from '../wording.ts';

type ExtendDialogProps = {
  transfer: TransferDetail;
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
      title={isExpired ? 'Reopen transfer' : 'Extend transfer'}
      description={
        isExpired
          ? 'The files are still here for a few days. The same link works again.'
          : 'The days count from now. The link stays the same.'
      }
    >
      <ExtendForm transfer={transfer} plan={plan} onClose={onClose} />
    </Dialog>
  );
}

/** Mounted while the dialog is open. */
function ExtendForm({ transfer, plan, onClose }: Omit<ExtendDialogProps, 'isOpen'>) {
  const longest = maxExpirationDays(plan.retentionDays);
  const [text, setText] = useState(String(longest));
  const [error, setError] = useState<string>();
  const { mutateAsync, isPending } = useUpdateTransfer(transfer.id);
  const isExpired = useIsExpired(transfer);
  const days = /^\d+$/.test(text.trim()) ? Number(text) : 0;
  const mistake = checkDays(days, plan.retentionDays);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (mistake) return setError(mistake);
    try {
      const { expiresAt } = await mutateAsync({ expirationDays: days });
      toast({
        title: isExpired ? 'Transfer reopened' : 'Transfer extended',
        ...(expiresAt && { description: `It expires on ${formatDateTime(expiresAt)}.` }),
      });
      onClose();
    } catch (failure) {
      setError(errorDetail(failure));
      if (failure instanceof ApiError && failure.status === 404) void refreshTransfer(transfer.id);
    }
  };
  return (
    <form noValidate onSubmit={submit}>
      <TextField
        label="Days from now"
        type="number"
        inputMode="numeric"
        min={1}
        max={longest}
        hint={`At most ${longest} on the ${tierLabel(plan.tier)} plan.`}
        error={error}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setError(undefined);
        }}
      />
      <p className="mt-4 text-sm text-ink-soft" aria-live="polite">
        {!mistake && describeEnd(Date.now() + days * DAY_MS, isExpired ? null : transfer.expiresAt)}
      </p>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" isBusy={isPending}>
          {isExpired ? 'Reopen' : 'Extend'}
        </Button>
      </DialogFooter>
    </form>
  );
}

/** The new expiry, with a warning if it is sooner than the current one. */
function describeEnd(end: number, present: string | null): string {
  const sentence = `Expires on ${formatDateTime(new Date(end).toISOString())}.`;
  const isSooner = present !== null && end < Date.parse(present);
  return isSooner ? `${sentence} That is sooner than at present.` : sentence;
}
