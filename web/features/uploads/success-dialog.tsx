import { Check } from 'lucide-react';
import { PAGES } from '../../../contracts/values/pages.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { Ripples } from '../../components/ripples.tsx';
import { TextField } from '../../components/text-field.tsx';
import { toast } from '../../components/toast.ts';
import { countFiles } from '../../uploading/upload-words.ts';
import { ResendEmail } from './resend-email.tsx';

/** A transfer that has just arrived. */
export type SentTransfer = {
  transferId: string | undefined;
  link: string;
  fileCount: number;
  /** Bytes. */
  totalBytes: number;
  recipients: string[];
  isPasswordProtected: boolean;
};

type SuccessDialogProps = {
  sent: SentTransfer;
  isOpen: boolean;
  onClose: () => void;
};

/** The files have arrived: here is the link (specification section 2, "Upload page"). */
export function SuccessDialog({ sent, isOpen, onClose }: SuccessDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={(next) => !next && onClose()}
      title="Ready to share"
      description={`${countFiles(sent.fileCount)}, ${formatSize(sent.totalBytes)}. ${sent.isPasswordProtected ? 'The link asks for the password.' : 'Anyone with the link can download.'}`}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Upload More
          </Button>
          <LinkButton to={PAGES.dashboard} variant="secondary">
            View Transfers
          </LinkButton>
        </>
      }
    >
      <Arrival />
      <div className="flex flex-col gap-5">
        <div className="flex flex-col gap-3 sm:flex-row sm:items-end">
          <TextField
            label="Share link"
            readOnly
            value={sent.link}
            className="grow"
            onFocus={({ target }) => target.select()}
          />
          <CopyButton
            text={sent.link}
            label="Copy Link"
            variant="primary"
            onCopied={() =>
              toast({ title: 'Link copied!', description: 'Share link has been copied to clipboard.' })
            }
            onFailed={() =>
              toast({
                title: 'The link could not be copied',
                description: 'Your browser refused. Please select the link and copy it yourself.',
                variant: 'destructive',
              })
            }
          />
        </div>
        <div className="flex items-center gap-5">
          <QrCode text={sent.link} label="QR code of the share link" />
          <p className="text-sm text-ink-soft">Scan the code to open the link on a phone.</p>
        </div>
        <hr />
        <ResendEmail transferId={sent.transferId} recipients={sent.recipients} />
      </div>
    </Dialog>
  );
}

/** The drop has met the water: rings run outward once. */
function Arrival() {
  return (
    <div className="relative isolate mb-6 grid h-32 place-items-center overflow-hidden rounded-lg bg-sunken">
      <Ripples
        motion="arrive"
        tone="accent"
        count={7}
        view="slanted"
        className="absolute top-1/2 left-1/2 -z-10 w-[44rem] max-w-none -translate-x-1/2 -translate-y-1/2"
      />
      <span className="grid size-14 animate-pop-in place-items-center rounded-full bg-accent text-on-accent">
        <Check aria-hidden="true" strokeWidth={2.5} className="size-7" />
      </span>
    </div>
  );
}
