import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { checksumsPath } from '../../../../contracts/values/links.ts';
import { buttonClasses } from '../../../components/actions/button-style.ts';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { Disclosure } from '../disclosure.tsx';
import { isComputing } from '../files/file-details.tsx';
import { useRefreshWhile } from '../states/use-refresh-while.ts';

export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-4">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="min-w-0 grow overflow-x-auto rounded-xs py-2 font-mono text-xs leading-relaxed text-ink-soft"
      >
        {command}
      </pre>
      <CopyButton
        isIconOnly
        label={t`Copy command`}
        size="sm"
        text={command}
        onCopied={() => toast({ title: t`Copied!` })}
      />
    </div>
  );
}

type ChecksumHintProps = {
  token: string;
  /** Those loaded so far. */
  files: TransferFile[];
  fileCount: number | undefined;
  refresh: () => Promise<unknown>;
};

/** Explains how to verify all files after downloading them. */
export function ChecksumHint({ token, files, fileCount = files.length, refresh }: ChecksumHintProps) {
  const [isOpen, setOpen] = useState(false);
  const missing = files.filter(isComputing).length;
  useRefreshWhile(isOpen && missing > 0, refresh);
  return (
    <Disclosure
      summary={t`Want proof that nothing changed? Compare the SHA-256 checksums.`}
      onToggle={setOpen}
    >
      {isOpen && <Checksums {...{ token, missing }} count={fileCount} />}
    </Disclosure>
  );
}

type ChecksumsProps = { token: string; missing: number; count: number };

function Checksums({ token, missing, count }: ChecksumsProps) {
  if (missing > 0)
    return (
      <p role="status" className="flex items-center gap-2 py-2 text-ink-soft">
        <Spinner className="size-4" />
        <Trans>
          The checksums are still being computed ({formatCount(count - missing)} of {formatCount(count)}).
        </Trans>
      </p>
    );
  return (
    <div className="flex flex-col items-start gap-3">
      <a href={checksumsPath(token)} download="SHA256SUMS" className={buttonClasses('secondary', 'sm')}>
        <Download aria-hidden="true" />
        <Trans>SHA256SUMS</Trans>
      </a>
      <p>
        <Trans>Save it next to the downloaded files, then run:</Trans>
      </p>
      <div className="w-full">
        <CommandLine command="sha256sum --check SHA256SUMS" />
      </div>
    </div>
  );
}
