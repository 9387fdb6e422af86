import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { type ReactNode, useEffect, useId } from 'react';
import { addressOf } from '../../../../contracts/endpoint.ts';
import { type DownloadView, verifyDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { nameZip } from '../../../../contracts/transfers/names.ts';
import { bagDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { buttonClasses } from '../../../components/actions/button-style.ts';
import { publicUrl } from '../../../lib/browser/public-url.ts';
import type { ShareAddress } from '../share-address.ts';
import type { OpenView } from '../states/view-state.ts';
import { Checksums, CommandLine } from './command-line.tsx';
import { curlCommand } from './curl-command.ts';
import { EarlierVersions } from './earlier-versions.tsx';
import { LiveDownload } from './live-download.tsx';
import { canStreamToFile } from './streamed-download.ts';
import type { Downloads, DownloadTarget } from './use-downloads.ts';
import { useLiveDownload } from './use-live-download.ts';

export type WaysProps = {
  share: ShareAddress;
  downloads: Downloads;
  /** With the files loaded so far. */
  view: OpenView;
  /** Undefined: no new downloads; a running one continues. */
  target: DownloadTarget | undefined;
  refresh: () => Promise<DownloadView | undefined>;
  isOpen: boolean;
  /** Whether a download with live progress is running. */
  onRunning: (isRunning: boolean) => void;
};

export function Ways({ share, downloads, view, target, refresh, isOpen, onRunning }: WaysProps) {
  const { version = 1 } = view;
  const live = useLiveDownload(refresh);
  const isRunning = live.progress !== undefined;
  useEffect(() => onRunning(isRunning), [isRunning, onRunning]);
  return (
    <div className="flex flex-col gap-8">
      {canStreamToFile() && (
        <Way title={t`Download with live progress`}>
          <LiveDownload {...live} target={target} fileName={fileNameOf(view)} />
        </Way>
      )}
      {target && (
        <Way
          title={
            <Trans>
              Interrupted? Your browser or{' '}
              <code className="font-mono text-[0.95em] whitespace-nowrap">curl -C -</code> continues where it
              stopped.
            </Trans>
          }
        >
          <CommandLine command={commandFor(share, view, target)} />
        </Way>
      )}
      {target && (
        <Way title={t`For an archive: a BagIt bag, which has the SHA-256 of every file with it.`}>
          <BagLink downloads={downloads} zipPath={zipPathOf(share, target)} />
        </Way>
      )}
      {target && isOpen && version > 1 && (
        <Way title={t`Earlier versions`}>
          <EarlierVersions share={share} version={version} downloads={downloads} />
        </Way>
      )}
      {target && isOpen && (
        <Way title={t`Want proof that nothing changed? Compare the SHA-256 checksums.`}>
          <Checksums token={share.token} files={view.files} fileCount={view.fileCount} refresh={refresh} />
        </Way>
      )}
    </div>
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

type BagLinkProps = { downloads: Downloads; zipPath: string };

function BagLink({ downloads, zipPath }: BagLinkProps) {
  const path = bagDownloadPath(zipPath);
  return (
    <a
      href={path}
      download=""
      className={buttonClasses('secondary', 'sm')}
      aria-busy={downloads.isPreparing(path) || undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        void downloads.start({ path, isZip: true, isBag: true });
      }}
    >
      <Download aria-hidden="true" />
      <Trans>Download as a BagIt bag</Trans>
    </a>
  );
}

/** A single file has a zip, too. */
function zipPathOf({ token, recipientToken }: ShareAddress, target: DownloadTarget): string {
  return target.isZip ? target.path : zipDownloadPath(token, recipientToken);
}

function commandFor(share: ShareAddress, view: OpenView, target: DownloadTarget): string {
  return curlCommand({
    url: publicUrl() + target.path,
    verifyUrl: publicUrl() + addressOf(verifyDownload.path, { token: share.token }),
    fileName: fileNameOf(view),
    isProtected: view.isPasswordProtected === true,
    isLimited: typeof view.maxDownloads === 'number',
  });
}

/** File name of the download. */
function fileNameOf(view: OpenView): string {
  const { files } = view;
  if (files.length === 1) return files[0]!.originalName;
  return nameZip(view);
}
