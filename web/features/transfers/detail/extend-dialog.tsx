import { t } from '@lingui/core/macro';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import type { SettingsPlan } from '../../../transfer-settings/settings-form.ts';
import { DaysForm, useDaysForm } from '../days-form.tsx';
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
  const isExpired = useIsExpired(transfer);
  const { form, toErrors } = useDaysForm(plan);
  const { run, isPending } = useUpdateTransfer(transfer.id, {
    form,
    toErrors,
    failure: () => undefined,
    success: ({ expiresAt }) => ({
      title: isExpired ? t`Transfer reopened` : t`Transfer extended`,
      ...(expiresAt && { description: t`It expires on ${formatDateTime(expiresAt)}.` }),
    }),
  });
  return (
    <DaysForm
      {...{ form, plan, isPending, onClose }}
      describe={(end) => describeEnd(end, isExpired ? null : transfer.expiresAt)}
      submitLabel={isExpired ? t`Reopen` : t`Extend`}
      onSubmit={async (expirationDays) => {
        if (await run({ expirationDays })) onClose();
      }}
    />
  );
}

/** The new expiry, with a warning if it is sooner than the current one. */
function describeEnd(end: number, present: string | null): string {
  const time = formatDateTime(new Date(end).toISOString());
  const isSooner = present !== null && end < Date.parse(present);
  return isSooner ? t`Expires on ${time}. That is earlier than the current expiry.` : t`Expires on ${time}.`;
}
