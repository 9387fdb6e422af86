import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { DownloadView } from '../../../../contracts/transfers/downloads.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { Checksums, CommandLine } from './command-line.tsx';
import { LiveDownload } from './live-download.tsx';
import { canStreamToFile } from './start-download.ts';
import type { DownloadTarget } from './use-downloads.ts';
import { useLiveDownload } from './use-live-download.ts';

type MoreWaysProps = {
  /** Undefined: no new downloads; a running one continues. */
  target: DownloadTarget | undefined;
  fileName: string;
  /** Downloads in a terminal; undefined without files. */
  command: string | undefined;
  token: string;
  /** Those loaded so far. */
  files: TransferFile[];
  fileCount: number | undefined;
  refresh: () => Promise<DownloadView | undefined>;
};

/** What few people need, behind one line. */
export function MoreWays({ target, fileName, command, refresh, ...rest }: MoreWaysProps) {
  const live = useLiveDownload(refresh);
  const [isOpen, setOpen] = useState(false);
  if (!target && !live.progress) return null;
  return (
    <Disclosure summary={t`More ways to download`} onToggle={setOpen}>
      <div className="flex flex-col gap-8">
        {canStreamToFile() && (
          <Way title={t`Download with live progress`}>
            <LiveDownload {...live} {...{ target, fileName }} />
          </Way>
        )}
        {target && command && (
          <Way
            title={
              <Trans>
                Interrupted? Your browser or{' '}
                <code className="font-mono text-[0.95em] whitespace-nowrap">curl -C -</code> continues where
                it stopped.
              </Trans>
            }
          >
            <CommandLine command={command} />
          </Way>
        )}
        {target && isOpen && (
          <Way title={t`Want proof that nothing changed? Compare the SHA-256 checksums.`}>
            <Checksums {...rest} refresh={refresh} />
          </Way>
        )}
      </div>
    </Disclosure>
  );
}

function Way({ title, children }: { title: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-3 text-sm font-medium tracking-normal text-ink-soft [font-stretch:normal]">
        {title}
      </h3>
      {children}
    </section>
  );
}

type DisclosureProps = {
  summary: string;
  onToggle: (isOpen: boolean) => void;
  children: ReactNode;
};

function Disclosure({ summary, onToggle, children }: DisclosureProps) {
  return (
    <details
      className="group text-sm text-ink-faint"
      onToggle={({ currentTarget }) => onToggle(currentTarget.open)}
    >
      <summary className="flex w-fit list-none items-start gap-2 rounded-xs py-1 pr-2 transition-colors duration-(--quick) hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="mt-px -ml-0.5 size-5 shrink-0 transition-[rotate] duration-(--brisk) group-open:rotate-90"
        />
        <span>{summary}</span>
      </summary>
      <div className="mt-3 mb-2">{children}</div>
    </details>
  );
}
