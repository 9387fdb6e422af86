import { CircleSlash } from 'lucide-react';
import { verifyDownload } from '../../../contracts/downloads.ts';
import { normaliseFileName } from '../../../contracts/names.ts';
import { addressOf } from '../../api/call.ts';
import { usePageTitle } from '../../lib/page-title.ts';
import { curlCommand } from './curl-command.ts';
import { FileList } from './file-list.tsx';
import { Headline } from './headline.tsx';
import { type MainAction, mainTarget } from './main-action.ts';
import { ResumeHint } from './resume-hint.tsx';
import type { ShareAddress } from './share-address.ts';
import { SingleFile } from './single-file.tsx';
import { Stage } from './stage.tsx';
import { TransferInformation } from './transfer-information.tsx';
import type { Downloads } from './use-downloads.ts';
import { describeContent, type OpenView, titleOf } from './view-state.ts';
import { DownloadWell, StillWell } from './well.tsx';

type OpenTransferProps = {
  share: ShareAddress;
  view: OpenView;
  /** undefined: nothing can be downloaded any more. */
  action: MainAction | undefined;
  /** Deleted while the page was open. */
  isGone: boolean;
  downloads: Downloads;
};

/** The transfer as its sender meant it to be seen. */
export function OpenTransfer({ share, view, action, isGone, downloads }: OpenTransferProps) {
  usePageTitle(titleOf(view));
  const { files } = view;
  const isDisabled = action === undefined;
  const single = files.length === 1 ? files[0] : undefined;
  return (
    <Stage
      isWellForLarge
      isBodyFirst={single !== undefined}
      head={
        <Headline title={titleOf(view)}>
          <p className="tabular mt-5 text-xl [word-spacing:0.12em] text-ink-soft">{describeContent(view)}</p>
          {isDisabled && <ClosedNotice isGone={isGone} />}
        </Headline>
      }
      well={
        action ? (
          <DownloadWell {...action} />
        ) : (
          <StillWell>
            <CircleSlash aria-hidden="true" strokeWidth={1.25} />
          </StillWell>
        )
      }
      facts={<TransferInformation view={view} />}
      body={
        <>
          {single ? (
            <SingleFile file={single} {...{ share, downloads, isDisabled }} />
          ) : (
            <FileList {...{ share, files, downloads, isDisabled }} />
          )}
          {action && <ResumeHint command={commandFor(share, view)} />}
        </>
      }
    />
  );
}

function ClosedNotice({ isGone }: { isGone: boolean }) {
  return (
    <p role="status" className="mt-8 max-w-[34rem] rounded-md border border-line-firm bg-surface px-5 py-4">
      <strong className="font-semibold">{isGone ? 'No longer available.' : 'Download limit reached.'}</strong>{' '}
      {isGone
        ? 'This transfer was deleted after you opened it.'
        : 'All downloads that the sender allowed have been used. Ask the sender to share the files again.'}
    </p>
  );
}

function commandFor(share: ShareAddress, view: OpenView): string {
  const { path, isZip } = mainTarget(share, view)!;
  const zipName = normaliseFileName(`${view.title || 'transfer'}.zip`);
  return curlCommand({
    url: window.location.origin + path,
    verifyUrl: window.location.origin + addressOf(verifyDownload.path, { token: share.token }),
    fileName: isZip ? zipName : view.files[0]!.originalName,
    isProtected: view.isPasswordProtected === true,
    isLimited: typeof view.maxDownloads === 'number',
  });
}
