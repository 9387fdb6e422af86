import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Copy } from 'lucide-react';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { shareLink } from '../../../contracts/values/addresses/links.ts';
import { Button } from '../../components/actions/button.tsx';
import type { ButtonSize, ButtonVariant } from '../../components/actions/button-style.ts';
import { CopyButton } from '../../components/actions/copy-button.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ShareLinkDialog } from '../../components/dialogs/share-link-dialog.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { MissingKey, tellMissingKey } from '../../key-ring/missing-key.tsx';
import { useWholeLink } from '../../key-ring/readable-transfers.ts';
import { publicUrl } from '../../lib/browser/public-url.ts';

type CopyLinkButtonProps = {
  transfer: Pick<Transfer, 'id' | 'token' | 'encryption' | 'receivedKey'>;
  label: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  'data-initial-focus'?: boolean;
  className?: string;
};

/** The link for recipients; undefined if it needs a key that is not in this browser. */
export function useLink(transfer: Pick<Transfer, 'id' | 'token' | 'encryption'>): string | undefined {
  const whole = useWholeLink(transfer);
  return whole ? whole.link : shareLink(publicUrl(), transfer.token);
}

/** Copies the link with its key, or says that the key is missing. */
export function CopyLinkButton({ transfer, label, ...look }: CopyLinkButtonProps) {
  const link = useLink(transfer);
  if (link === undefined)
    return (
      <Button variant="secondary" {...look} icon={<Copy />} onClick={() => tellMissingKey(transfer)}>
        {label}
      </Button>
    );
  return (
    <CopyButton
      text={link}
      label={label}
      onCopied={() =>
        toast({ title: t`Link copied!`, description: t`Share link has been copied to clipboard.` })
      }
      onFailed={() =>
        toast({
          title: t`The browser did not allow copying`,
          description: link,
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
  transfer: Pick<Transfer, 'id' | 'token' | 'title' | 'createdAt' | 'encryption' | 'receivedKey'>;
  isOpen: boolean;
  onClose: () => void;
};

export function ShareDialog({ transfer, ...dialog }: ShareDialogProps) {
  const link = useLink(transfer);
  if (link === undefined)
    return (
      <Dialog isOpen={dialog.isOpen} onOpenChange={dialog.onClose} title={t`Share link`} size="sm">
        <MissingKey transfer={transfer} className="text-ink-soft" />
      </Dialog>
    );
  return (
    <ShareLinkDialog
      label={t`Share link`}
      link={link}
      name={nameTransfer(transfer)}
      copyButton={(look) => <CopyLinkButton transfer={transfer} label={t`Copy Link`} {...look} />}
      {...dialog}
    />
  );
}
