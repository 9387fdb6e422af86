import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download, Printer } from 'lucide-react';
import { Button } from '../../../components/actions/button.tsx';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { Dialog, DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { saveFile } from '../../../lib/browser/save-file.ts';

type RecoveryCodesDialogProps = { codes: string[]; onClose: () => void };

/** Shows new recovery codes once. It closes only with its button, so that nobody loses them by accident. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const text = codes.join('\n');
  const { host } = window.location;
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      isDismissible={false}
      title={t`Save your recovery codes`}
      description={t`With one of them you can sign in if you lose your other factors. Each works once. They are not shown again.`}
    >
      <div data-print="">
        <p className="mb-4 hidden print:block">
          <Trans>Recovery codes for Sendwell at {host}</Trans>
        </p>
        <ol
          aria-label={t`Recovery codes`}
          className="grid gap-x-6 sm:grid-cols-2 gap-y-2 rounded-md border border-line bg-sunken px-5 py-4 font-mono"
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
      </div>
      <div className="mt-4 flex flex-wrap gap-2">
        <CopyButton text={text} label={t`Copy`} variant="secondary" size="sm" />
        <Button
          variant="secondary"
          size="sm"
          icon={<Download aria-hidden="true" />}
          onClick={() => saveFile(toTextFile(text), 'sendwell-recovery-codes.txt')}
        >
          <Trans>Download</Trans>
        </Button>
        <Button
          variant="secondary"
          size="sm"
          icon={<Printer aria-hidden="true" />}
          onClick={() => window.print()}
        >
          <Trans>Print</Trans>
        </Button>
      </div>
      <DialogFooter>
        <Button onClick={onClose}>
          <Trans>I have saved them</Trans>
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

function toTextFile(codes: string): Blob {
  return new Blob([`Sendwell\n\n${codes}\n`], { type: 'text/plain' });
}
