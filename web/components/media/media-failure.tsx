import { ImageOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import type { LightboxItem } from './lightbox-item.ts';

type MediaFailureProps = {
  item: LightboxItem;
  onRetry: () => void;
  /** The way to the original. */
  children: ReactNode;
};

/** There is nothing to look at; the file itself is as good as ever. */
export function MediaFailure({ item, onRetry, children }: MediaFailureProps) {
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
