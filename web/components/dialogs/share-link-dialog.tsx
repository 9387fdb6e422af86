import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download, Share2 } from 'lucide-react';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { toPngFile, toSvgFile } from '../../lib/browser/qr-code-file.ts';
import { saveFile } from '../../lib/browser/save-file.ts';
import { MOBILE, useMediaQuery } from '../../lib/hooks/use-media-query.ts';
import { Button } from '../actions/button.tsx';
import type { CopyButton } from '../actions/copy-button.tsx';
import { canShareNatively, shareNatively } from '../actions/native-share.ts';
import { QrCode } from '../actions/qr-code.tsx';
import { TextArea } from '../form/text-area.tsx';
import { Dialog } from './dialog.tsx';

type ShareLinkDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  /** Also names the field ("Share link"). */
  label: string;
  link: string;
  /** Used in the names of saved pictures. */
  name: string;
  /** Below the link. */
  note?: ReactNode;
  copyButton: (look: CopyButtonLook) => ReactNode;
};

type CopyButtonLook = Pick<ComponentProps<typeof CopyButton>, 'variant' | 'className' | 'data-initial-focus'>;

/** The link as text, as a QR code, and to pass on. On phones the code comes last, because phones scan other screens. */
export function ShareLinkDialog({ isOpen, onClose, ...content }: ShareLinkDialogProps) {
  const isPhone = useMediaQuery(MOBILE);
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      title={content.label}
      description={t`Copy the link, or let others scan the code.`}
      size="sm"
    >
      <div className="flex flex-col gap-5">
        {!isPhone && <Code {...content} />}
        <LinkText {...content} isPhone={isPhone} />
        {content.note}
        {isPhone && <Code {...content} />}
      </div>
    </Dialog>
  );
}

type Content = Omit<ShareLinkDialogProps, 'isOpen' | 'onClose'>;

function LinkText({ label, link, name, copyButton, isPhone }: Content & { isPhone: boolean }) {
  const canShare = canShareNatively();
  const isShareFirst = isPhone && canShare;
  const copy = copyButton({
    variant: isShareFirst ? 'secondary' : 'primary',
    className: 'grow',
    'data-initial-focus': true,
  });
  return (
    <>
      <TextArea
        label={label}
        readOnly
        rows={1}
        value={link}
        className="[&_textarea]:resize-none [&_textarea]:break-all"
        onFocus={({ target }) => target.select()}
      />
      <div className="flex flex-col gap-3 sm:flex-row">
        {!isShareFirst && copy}
        {canShare && (
          <Button
            variant={isShareFirst ? 'primary' : 'secondary'}
            icon={<Share2 />}
            className="grow"
            onClick={() => shareNatively(link, name)}
          >
            <Trans>Share…</Trans>
          </Button>
        )}
        {isShareFirst && copy}
      </div>
    </>
  );
}

function Code({ label, link, name }: Content) {
  const frame = useRef<HTMLDivElement>(null);
  const save = async (toFile: (code: SVGSVGElement) => Blob | Promise<Blob>, extension: string) => {
    const code = frame.current?.querySelector('svg');
    if (code) saveFile(await toFile(code), `QR code ${fileNameOf(name)}.${extension}`);
  };
  return (
    <>
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
    </>
  );
}

/** Removes characters that some systems don't allow in file names. */
function fileNameOf(title: string): string {
  return title
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 80);
}
