import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { shareLink } from '../../../contracts/values/links.ts';
import type { ButtonSize, ButtonVariant } from '../../components/actions/button-style.ts';
import { CopyButton } from '../../components/actions/copy-button.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { ShareLinkDialog } from '../../components/dialogs/share-link-dialog.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { publicUrl } from '../../lib/browser/public-url.ts';

type CopyLinkButtonProps = {
  token: string;
  label: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  'data-initial-focus'?: boolean;
  className?: string;
};

/** The link for recipients. */
export function linkOf(token: string): string {
  return shareLink(publicUrl(), token);
}

export function CopyLinkButton({ token, ...look }: CopyLinkButtonProps) {
  return (
    <CopyButton
      text={linkOf(token)}
      onCopied={() =>
        toast({ title: t`Link copied!`, description: t`Share link has been copied to clipboard.` })
      }
      onFailed={() =>
        toast({
          title: t`The browser did not allow copying`,
          description: linkOf(token),
          variant: 'destructive',
        })
      }
      {...look}
    />
  );
}

type DeleteDialogProps = {
  transfer: Transfer;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  isBusy?: boolean;
  onConfirm: () => void;
};

export function DeleteDialog({ transfer, ...dialog }: DeleteDialogProps) {
  return (
    <ConfirmDialog
      title={t`Delete this transfer?`}
      description={
        <Trans>
          <strong dir="auto" className="font-medium wrap-anywhere text-ink">
            {nameTransfer(transfer)}
          </strong>{' '}
          with its <Plural value={transfer.fileCount} one="# file" other="# files" /> will be deleted for you
          and for everyone who has the link. This cannot be undone.
        </Trans>
      }
      confirmLabel={t`Delete transfer`}
      isDestructive
      {...dialog}
    />
  );
}

type ShareDialogProps = {
  transfer: Pick<Transfer, 'token' | 'title' | 'createdAt'>;
  isOpen: boolean;
  onClose: () => void;
};

export function ShareDialog({ transfer, ...dialog }: ShareDialogProps) {
  const { token } = transfer;
  return (
    <ShareLinkDialog
      label={t`Share link`}
      link={linkOf(token)}
      name={nameTransfer(transfer)}
      copyButton={(look) => <CopyLinkButton token={token} label={t`Copy Link`} {...look} />}
      {...dialog}
    />
  );
}
