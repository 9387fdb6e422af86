import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download, ImageOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../actions/button.tsx';
import type { ButtonSize, ButtonVariant } from '../actions/button-style.ts';
import type { LightboxItem } from './lightbox.tsx';
import { MediaDocument } from './media-document.tsx';
import { MediaPicture, MediaPlayer, MediaText } from './media-views.tsx';
import type { Zoom } from './zoom.ts';

type LightboxSlideProps = {
  item: LightboxItem;
  /** undefined for neighbors of the current item, which preload their picture only. */
  zoom: Zoom | undefined;
  onDownload: ((id: string) => void) | undefined;
};

/** Shows an item by its kind, or a failure message. */
export function LightboxSlide({ item, zoom, onDownload }: LightboxSlideProps) {
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<{ attempt: number; wasShown: boolean }>();
  const isShown = zoom !== undefined;
  // Retry a preload that failed before the slide was shown.
  if (failure?.attempt === attempt && isShown && !failure.wasShown) setAttempt(attempt + 1);
  if (failure?.attempt === attempt) {
    if (!isShown) return null;
    return (
      <MediaFailure item={item} onRetry={() => setAttempt(attempt + 1)}>
        {onDownload && <DownloadButton onClick={() => onDownload(item.id)} />}
      </MediaFailure>
    );
  }
  const media = { item, onFail: () => setFailure({ attempt, wasShown: isShown }) };
  switch (item.kind) {
    case 'image':
      return <MediaPicture key={attempt} {...media} zoom={zoom} />;
    case 'pdf':
      return <MediaDocument key={attempt} {...media} zoom={zoom} canDownload={onDownload !== undefined} />;
    case 'video':
    case 'audio':
      return <MediaPlayer key={attempt} {...media} isShown={isShown} />;
    case 'text':
      return <MediaText key={attempt} {...media} isShown={isShown} />;
  }
}

type DownloadButtonProps = { onClick: () => void; variant?: ButtonVariant; size?: ButtonSize };

export function DownloadButton(props: DownloadButtonProps) {
  return (
    <Button icon={<Download aria-hidden="true" />} {...props}>
      <Trans>Download</Trans>
    </Button>
  );
}

type MediaFailureProps = {
  item: LightboxItem;
  onRetry: () => void;
  /** The download button, if downloading is allowed. */
  children: ReactNode;
};

function MediaFailure({ item, onRetry, children }: MediaFailureProps) {
  const isMedia = item.kind === 'video' || item.kind === 'audio';
  return (
    <div className="flex size-full animate-fade-in flex-col items-center justify-center gap-6 overflow-y-auto p-6 text-center">
      <ImageOff aria-hidden="true" strokeWidth={1.25} className="size-14 text-ink-faint" />
      <div role="status" className="flex max-w-md flex-col gap-2">
        <p className="font-heading text-2xl">
          <Trans>No preview to show</Trans>
        </p>
        <p className="text-ink-soft">
          {isMedia
            ? t`Your browser can't play this file, or the connection was lost. Download it to open it in another app.`
            : t`The preview of this file could not be loaded. The file itself is not affected.`}
        </p>
      </div>
      <div className="flex flex-wrap justify-center gap-3">
        {children}
        <Button variant="secondary" onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
      </div>
    </div>
  );
}
