import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound } from 'lucide-react';
import type { Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { ShareLinkDialog } from '../../components/dialogs/share-link-dialog.tsx';
import { KeysLink } from '../../key-ring/missing-key.tsx';
import { EditInvitationDialog } from './invitation-form-dialog.tsx';
import { CopyInvitationButton, useInvitationLink } from './invitation-link.tsx';
import { useDeleteInvitation } from './invitation-queries.ts';

export type OpenDialog = 'edit' | 'qr-code' | 'delete';

type DialogsProps = {
  invitation: Invitation;
  dialog: OpenDialog | null;
  onClose: () => void;
};

export function InvitationDialogs({ invitation, dialog, onClose }: DialogsProps) {
  return (
    <>
      <EditInvitationDialog invitation={invitation} isOpen={dialog === 'edit'} onClose={onClose} />
      <InvitationLinkDialog invitation={invitation} isOpen={dialog === 'qr-code'} onClose={onClose} />
      <Deletion invitation={invitation} isOpen={dialog === 'delete'} onClose={onClose} />
    </>
  );
}

type LinkDialogProps = Pick<DialogsProps, 'invitation' | 'onClose'> & { isOpen: boolean };

export function InvitationLinkDialog({ invitation, ...dialog }: LinkDialogProps) {
  const { link } = useInvitationLink(invitation);
  // Only offered where the key is; it may just have been stored.
  if (link === undefined) return null;
  return (
    <ShareLinkDialog
      label={t`Invitation link`}
      link={link}
      name={invitation.title}
      note={invitation.encryption && <KeyNote />}
      copyButton={(look) => <CopyInvitationButton link={link} {...look} />}
      {...dialog}
    />
  );
}

function KeyNote() {
  return (
    <p className="flex gap-2.5 text-sm text-ink-soft">
      <KeyRound aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent-ink" />
      <span>
        <Trans>
          Only this browser can open what arrives, until you <KeysLink>export its keys</KeysLink>. Visitors
          need the whole link.
        </Trans>
      </span>
    </p>
  );
}

type DeletionProps = { invitation: Invitation; isOpen: boolean; onClose: () => void };

function Deletion({ invitation: { id, title }, isOpen, onClose }: DeletionProps) {
  const { mutate, isPending } = useDeleteInvitation(id);
  return (
    <ConfirmDialog
      title={t`Delete this invitation?`}
      description={
        <Trans>
          The link of{' '}
          <strong dir="auto" className="font-medium wrap-anywhere text-ink">
            {title}
          </strong>{' '}
          stops working immediately, also for visitors who are uploading right now. Files that have arrived
          stay in My Transfers. This cannot be undone.
        </Trans>
      }
      confirmLabel={t`Delete invitation`}
      isDestructive
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(undefined, { onSettled: onClose })}
    />
  );
}
