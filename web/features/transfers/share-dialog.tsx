import type { Transfer } from '../../../contracts/transfers.ts';
import { ShareLinkDialog } from '../../components/share-link-dialog.tsx';
import { CopyLinkButton, linkOf } from './copy-link-button.tsx';
import { titleOf } from './wording.ts';

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
      name={titleOf(transfer)}
      copyButton={<CopyLinkButton token={token} label="Copy Link" variant="primary" className="grow" />}
      {...dialog}
    />
  );
}
