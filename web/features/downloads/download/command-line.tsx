import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { checksumsPath } from '../../../../contracts/values/addresses/links.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { buttonClasses } from '../../../components/actions/button-style.ts';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { isComputing } from '../files/file-actions.ts';
import { useRefreshWhile } from '../states/use-refresh-while.ts';

export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-4">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can only scroll it if it takes the focus.
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

type ChecksumsProps = {
  token: string;
  /** Those loaded so far. */
  files: TransferFile[];
  fileCount: number | undefined;
  refresh: () => Promise<unknown>;
};

/** How to verify all files after downloading them. */
export function Checksums({ token, files, fileCount: count = files.length, refresh }: ChecksumsProps) {
  const missing = files.filter(isComputing).length;
  useRefreshWhile(missing > 0, refresh);
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
