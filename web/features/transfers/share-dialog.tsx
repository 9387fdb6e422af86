import { Download, Share2 } from 'lucide-react';
import { useRef } from 'react';
import type { Transfer } from '../../../contracts/transfers.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { TextField } from '../../components/text-field.tsx';
import { CopyLinkButton, linkOf } from './copy-link-button.tsx';
import { canShareNatively, shareNatively } from './native-share.ts';
import { saveFile, toPngFile, toSvgFile } from './qr-code-file.ts';
import { titleOf } from './wording.ts';

type ShareDialogProps = {
  transfer: Pick<Transfer, 'token' | 'title' | 'createdAt'>;
  isOpen: boolean;
  onClose: () => void;
};

/** The link as a QR code, to be scanned, saved and printed. */
export function ShareDialog({ transfer, isOpen, onClose }: ShareDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      title="Share link"
      description="Scan the code with a phone, or save it for a slide or a printed page."
      size="sm"
    >
      <Code transfer={transfer} />
    </Dialog>
  );
}

function Code({ transfer }: Pick<ShareDialogProps, 'transfer'>) {
  const frame = useRef<HTMLDivElement>(null);
  const link = linkOf(transfer.token);
  const title = titleOf(transfer);
  const save = async (toFile: (code: SVGSVGElement) => Blob | Promise<Blob>, extension: string) => {
    const code = frame.current?.querySelector('svg');
    if (code) saveFile(await toFile(code), `QR code ${fileNameOf(title)}.${extension}`);
  };
  return (
    <div className="flex flex-col gap-5">
      <div ref={frame} className="grid place-items-center rounded-lg bg-sunken p-5">
        <QrCode text={link} label="QR code of the share link" className="size-52" />
      </div>
      <div className="flex justify-center gap-2">
        <Button variant="secondary" size="sm" icon={<Download />} onClick={() => save(toSvgFile, 'svg')}>
          Save as SVG
        </Button>
        <Button variant="secondary" size="sm" icon={<Download />} onClick={() => save(toPngFile, 'png')}>
          Save as PNG
        </Button>
      </div>
      <hr />
      <TextField label="Share link" readOnly value={link} onFocus={({ target }) => target.select()} />
      <div className="flex flex-col gap-3 sm:flex-row-reverse">
        <CopyLinkButton token={transfer.token} label="Copy Link" variant="primary" className="grow" />
        {canShareNatively() && (
          <Button
            variant="secondary"
            icon={<Share2 />}
            className="grow"
            onClick={() => shareNatively(link, title)}
          >
            Share…
          </Button>
        )}
      </div>
    </div>
  );
}

/** Without the characters that one system or another keeps for itself. */
function fileNameOf(title: string): string {
  return title
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 80);
}
