import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download, Share2 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { saveFile, toPngFile, toSvgFile } from '../../lib/browser/qr-code-file.ts';
import { TextField } from '../form/text-field.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { canShareNatively, shareNatively } from './native-share.ts';
import { QrCode } from './qr-code.tsx';

type ShareLinkDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  /** Also names the field ("Share link"). */
  label: string;
  link: string;
  /** Used in the names of saved pictures. */
  name: string;
  copyButton: ReactNode;
};

export function ShareLinkDialog({ isOpen, onClose, ...code }: ShareLinkDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      title={code.label}
      description={t`Scan the code with a phone, or save it for a slide or a printed page.`}
      size="sm"
    >
      <Code {...code} />
    </Dialog>
  );
}

function Code({ label, link, name, copyButton }: Omit<ShareLinkDialogProps, 'isOpen' | 'onClose'>) {
  const frame = useRef<HTMLDivElement>(null);
  const save = async (toFile: (code: SVGSVGElement) => Blob | Promise<Blob>, extension: string) => {
    const code = frame.current?.querySelector('svg');
    if (code) saveFile(await toFile(code), `QR code ${fileNameOf(name)}.${extension}`);
  };
  return (
    <div className="flex flex-col gap-5">
      <div ref={frame} className="grid place-items-center rounded-lg bg-sunken p-5">
        <QrCode text={link} label={t`QR code of the ${label.toLowerCase()}`} className="size-52" />
      </div>
      <div className="flex justify-center gap-2">
        <Button variant="secondary" size="sm" icon={<Download />} onClick={() => save(toSvgFile, 'svg')}>
          <Trans>Save as SVG</Trans>
        </Button>
        <Button variant="secondary" size="sm" icon={<Download />} onClick={() => save(toPngFile, 'png')}>
          <Trans>Save as PNG</Trans>
        </Button>
      </div>
      <hr />
      <TextField label={label} readOnly value={link} onFocus={({ target }) => target.select()} />
      <div className="flex flex-col gap-3 sm:flex-row-reverse">
        {copyButton}
        {canShareNatively() && (
          <Button
            variant="secondary"
            icon={<Share2 />}
            className="grow"
            onClick={() => shareNatively(link, name)}
          >
            <Trans>Share…</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}

/** Removes characters that some systems don't allow in file names. */
function fileNameOf(title: string): string {
  return title
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 80);
}
