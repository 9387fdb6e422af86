import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { ShareLinkDialog } from '../../components/share-link-dialog.tsx';
import { CopyLinkButton, linkOf } from './copy-link-button.tsx';

type ShareDialogProps = {
  transfer: Pick<Transfer, 'token' | 'title' | 'createdAt'>;
  isOpen: boolean;
  onClose: () => void;
};

export function ShareDialog({ transfer, ...dialog }: ShareDialogProps) {
  const { token } = transfer;
  return (
    <ShareLinkDialog
      label="Share link"
      link={linkOf(token)}
      name={nameTransfer(transfer)}
      copyButton={<CopyLinkButton token={token} label="Copy Link" variant="primary" className="grow" />}
      {...dialog}
    />
  );
}
