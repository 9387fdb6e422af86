import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ListedTransfer } from '../../../../contracts/transfers/transfers.ts';
import { useSession } from '../../../api/session/session.ts';
import { useTierConfig } from '../../../api/tier-limits.ts';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import type { SettingsPlan } from '../../../transfer-settings/settings-form.ts';
import { DaysForm, useDaysForm } from '../days-form.tsx';
import { EditDialog } from '../detail/edit-dialog.tsx';
import { ExtendDialog } from '../detail/extend-dialog.tsx';
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
        description={plural(transfers.length, {
          one: 'It will be deleted for you and for everyone who has the link. You can undo this for 10 seconds.',
          other:
            'They will be deleted for you and for everyone who has a link. You can undo this for 10 seconds.',
        })}
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
  const { form, toErrors } = useDaysForm(plan);
  const { run, isPending } = useExtendTransfers({ form, toErrors });
  return (
    <DaysForm
      {...{ form, plan, isPending, onClose }}
      describe={(end) => <EndOfMany end={end} transfers={transfers} />}
      submitLabel={t`Extend`}
      onSubmit={async (expirationDays) => {
        const transferIds = transfers.map(({ id }) => id);
        if (!(await run({ transferIds, expirationDays }))) return;
        onClose();
        onExtended();
      }}
    />
  );
}

function EndOfMany({ end, transfers }: { end: number; transfers: ListedTransfer[] }) {
  const sooner = transfers.filter(
    ({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > end,
  ).length;
  return (
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
  );
}
