import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { errorDetail } from '../../../../client/api-error.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { maxExpirationDays } from '../../../../contracts/transfers/settings-rules.ts';
import type { ListedTransfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { bindField, useContractForm } from '../../../api/contract-form.ts';
import { useSession } from '../../../api/session.ts';
import { useTierConfig } from '../../../api/tier-limits.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/actions/confirm-dialog.tsx';
import { Dialog, DialogFooter } from '../../../components/actions/dialog.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { checkDays } from '../../../transfer-settings/settings-checks.ts';
import type { SettingsPlan } from '../../../transfer-settings/settings-form.ts';
import { EditDialog } from '../detail/edit-dialog.tsx';
import { ExtendDialog, toDays } from '../detail/extend-dialog.tsx';
import { ResendDialog } from '../detail/resend-dialog.tsx';
import { DeleteDialog, ShareDialog } from '../transfer-dialogs.tsx';
import { useExtendTransfers } from '../transfer-queries.ts';

/** A dialog of one card. */
export type CardDialog = 'share' | 'edit' | 'extend' | 'resend' | 'delete';
export type ListDialog =
  | { kind: CardDialog; transfer: ListedTransfer }
  | { kind: 'extend-many' | 'delete-many'; transfers: ListedTransfer[] };

type ListDialogsProps = {
  dialog: ListDialog;
  /** The dialog keeps its content while it fades out. */
  isOpen: boolean;
  onClose: () => void;
  onDelete: (transfers: ListedTransfer[]) => void;
  onExtended: () => void;
};

/** Loaded when the first of them is opened. */
export function ListDialogs({ dialog, isOpen, onClose, onDelete, onExtended }: ListDialogsProps) {
  const { user } = useSession();
  const { tiers, isLoading } = useTierConfig();
  const tier = user?.tier ?? 'free';
  const plan = { tier, retentionDays: tiers[tier].retentionDays };
  // The forms start with the limits of the plan.
  if (isLoading) return null;
  if (!('transfer' in dialog)) {
    const { kind, transfers } = dialog;
    if (kind === 'extend-many')
      return <ExtendManyDialog {...{ transfers, plan, isOpen, onClose, onExtended }} />;
    return (
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={onClose}
        title={plural(transfers.length, {
          one: 'Delete # transfer?',
          other: 'Delete # transfers?',
        })}
        description={t`They will be deleted for you and for everyone who has a link. You can undo this for 10 seconds.`}
        confirmLabel={plural(transfers.length, { one: 'Delete # transfer', other: 'Delete # transfers' })}
        isDestructive
        onConfirm={() => onDelete(transfers)}
      />
    );
  }
  const { kind, transfer } = dialog;
  const parts = { transfer, isOpen, onClose };
  // Each transfer has its own form.
  switch (kind) {
    case 'share':
      return <ShareDialog {...parts} />;
    case 'edit':
      return <EditDialog key={transfer.id} plan={plan} {...parts} />;
    case 'extend':
      return <ExtendDialog key={transfer.id} plan={plan} {...parts} />;
    case 'resend':
      return <ResendDialog key={transfer.id} {...parts} />;
    case 'delete':
      return (
        <DeleteDialog
          transfer={transfer}
          isOpen={isOpen}
          onOpenChange={onClose}
          onConfirm={() => onDelete([transfer])}
        />
      );
  }
}

type ExtendManyProps = {
  transfers: ListedTransfer[];
  plan: SettingsPlan;
  isOpen: boolean;
  onClose: () => void;
  onExtended: () => void;
};

function ExtendManyDialog({ isOpen, onClose, ...form }: ExtendManyProps) {
  const { length } = form.transfers;
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title={plural(length, { one: 'Extend # transfer', other: 'Extend # transfers' })}
      description={t`The days count from now. Expired transfers are reopened. The links stay the same.`}
    >
      <ExtendManyForm onClose={onClose} {...form} />
    </Dialog>
  );
}

/** Mounted while the dialog is open. */
function ExtendManyForm({ transfers, plan, onClose, onExtended }: Omit<ExtendManyProps, 'isOpen'>) {
  const longest = maxExpirationDays(plan.retentionDays);
  const form = useContractForm({
    check: ({ days }) => {
      const mistake = checkDays(toDays(days), plan.retentionDays);
      return mistake ? { days: mistake } : {};
    },
    defaultValues: { days: String(longest) },
  });
  const days = toDays(form.watch('days'));
  const { run, isPending } = useExtendTransfers({
    form,
    toErrors: (error) => ({ days: errorDetail(error) }),
  });
  const end = Date.now() + days * DAY_MS;
  const sooner = transfers.filter(
    ({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > end,
  ).length;
  const submit = form.handleSubmit(async (values) => {
    const transferIds = transfers.map(({ id }) => id);
    if (!(await run({ transferIds, expirationDays: toDays(values.days) }))) return;
    onClose();
    onExtended();
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
      <div className="mt-4 text-sm text-ink-soft" aria-live="polite">
        {!checkDays(days, plan.retentionDays) && (
          <>
            <p>
              <Trans>They expire on {formatDateTime(new Date(end).toISOString())}.</Trans>
            </p>
            {sooner > 0 && (
              <p className="mt-1">
                {plural(sooner, {
                  one: '# of them expires earlier than now planned.',
                  other: '# of them expire earlier than now planned.',
                })}
              </p>
            )}
          </>
        )}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isPending}>
          <Trans>Extend</Trans>
        </Button>
      </DialogFooter>
    </form>
  );
}
