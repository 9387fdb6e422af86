import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Invitation } from '../../../contracts/transfers/invitations.ts';
import { invitationPath } from '../../../contracts/values/links.ts';
import type { ButtonVariant } from '../../components/actions/button-style.ts';
import { CopyButton } from '../../components/actions/copy-button.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { ShareLinkDialog } from '../../components/dialogs/share-link-dialog.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { publicUrl } from '../../lib/browser/public-url.ts';
import { EditInvitationDialog } from './invitation-form-dialog.tsx';
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

export function InvitationLinkDialog({ invitation: { title, token }, ...dialog }: LinkDialogProps) {
  return (
    <ShareLinkDialog
      label={t`Invitation link`}
      link={linkOf(token)}
      name={title}
      copyButton={(look) => <CopyInvitationButton token={token} {...look} />}
      {...dialog}
    />
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

export function linkOf(token: string): string {
  return publicUrl() + invitationPath(token);
}

type CopyInvitationButtonProps = {
  token: string;
  variant?: ButtonVariant;
  'data-initial-focus'?: boolean;
  className?: string;
};

export function CopyInvitationButton({ token, ...look }: CopyInvitationButtonProps) {
  const link = linkOf(token);
  return (
    <CopyButton
      text={link}
      label={t`Copy Link`}
      {...look}
      onCopied={() => toast({ title: t`Copied!`, description: t`Invitation link copied to clipboard` })}
      onFailed={() =>
        toast({ title: t`The browser did not allow copying`, description: link, variant: 'destructive' })
      }
    />
  );
}
