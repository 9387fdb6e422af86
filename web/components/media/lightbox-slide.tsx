import { useState } from 'react';
import { LightboxDownload } from './lightbox-download.tsx';
import type { LightboxItem } from './lightbox-item.ts';
import { MediaFailure } from './media-failure.tsx';
import { MediaPicture } from './media-picture.tsx';
import { MediaPlayer } from './media-player.tsx';
import { MediaText } from './media-text.tsx';
import type { Zoom } from './use-zoom.ts';

type LightboxSlideProps = {
  item: LightboxItem;
  /** undefined: a neighbour of the one that shows. Only its picture is loaded. */
  zoom: Zoom | undefined;
  onDownload: ((id: string) => void) | undefined;
};

/** One thing to look at, by its kind. */
export function LightboxSlide({ item, zoom, onDownload }: LightboxSlideProps) {
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<{ attempt: number; wasShown: boolean }>();
  const isShown = zoom !== undefined;
  // What failed before anybody looked gets another chance.
  if (failure?.attempt === attempt && isShown && !failure.wasShown) setAttempt(attempt + 1);
  const canDownload = onDownload !== undefined || item.downloadUrl !== undefined;
  const download = <LightboxDownload item={item} onDownload={onDownload} />;
  if (failure?.attempt === attempt) {
    if (!isShown) return null;
    return (
      <MediaFailure item={item} onRetry={() => setAttempt(attempt + 1)}>
        {download}
      </MediaFailure>
    );
  }
  const media = { item, onFail: () => setFailure({ attempt, wasShown: isShown }) };
  switch (item.kind) {
    case 'image':
      return <MediaPicture key={attempt} {...media} zoom={zoom} />;
    case 'pdf':
      return (
        <div className="flex size-full flex-col">
          <div className="min-h-0 grow">
            <MediaPicture key={attempt} {...media} zoom={zoom} />
          </div>
          <div className="z-10 flex shrink-0 flex-wrap items-center justify-center gap-x-4 gap-y-1 px-5 pt-3 text-sm text-ink-soft sm:pb-3">
            <p>This is the first page.{canDownload && ' Download the file to read all of it.'}</p>
          </div>
        </div>
      );
    case 'video':
    case 'audio':
      return <MediaPlayer key={attempt} {...media} isShown={isShown} />;
    case 'text':
      return <MediaText key={attempt} {...media} isShown={isShown} />;
  }
}
