import { Download, ImageOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../button.tsx';
import { type ButtonSize, type ButtonVariant, buttonClasses } from '../button-style.ts';
import type { LightboxItem } from './lightbox.tsx';
import { MediaPicture, MediaPlayer, MediaText } from './media-views.tsx';
import type { Zoom } from './zoom.ts';

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

type LightboxDownloadProps = {
  item: LightboxItem;
  onDownload: ((id: string) => void) | undefined;
  variant?: ButtonVariant;
  size?: ButtonSize;
};

/** The way to the original; nothing where there is none. */
export function LightboxDownload({
  item,
  onDownload,
  variant = 'primary',
  size = 'md',
}: LightboxDownloadProps) {
  const icon = <Download aria-hidden="true" />;
  if (onDownload) {
    return (
      <Button variant={variant} size={size} icon={icon} onClick={() => onDownload(item.id)}>
        Download
      </Button>
    );
  }
  if (item.downloadUrl === undefined) return null;
  return (
    <a href={item.downloadUrl} download="" className={buttonClasses(variant, size)}>
      {icon}
      Download
    </a>
  );
}

type MediaFailureProps = {
  item: LightboxItem;
  onRetry: () => void;
  /** The way to the original. */
  children: ReactNode;
};

/** There is nothing to look at; the file itself is as good as ever. */
function MediaFailure({ item, onRetry, children }: MediaFailureProps) {
  const isMedia = item.kind === 'video' || item.kind === 'audio';
  return (
    <div className="flex size-full animate-fade-in flex-col items-center justify-center gap-6 overflow-y-auto p-6 text-center">
      <ImageOff aria-hidden="true" strokeWidth={1.25} className="size-14 text-ink-faint" />
      <div role="status" className="flex max-w-md flex-col gap-2">
        <p className="font-heading text-2xl">No preview to show</p>
        <p className="text-ink-soft">
          {isMedia
            ? 'Your browser cannot play this file, or the connection was lost. Downloaded it can be opened with another program.'
            : 'The preview of this file could not be loaded. The file itself is not affected.'}
        </p>
      </div>
      <div className="flex flex-wrap justify-center gap-3">
        {children}
        <Button variant="secondary" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </div>
  );
}
