import { useQuery } from '@tanstack/react-query';
import { WrapText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { TEXT_PREVIEW_BYTES } from '../../../contracts/transfers/previews.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { classNames } from '../../lib/class-names.ts';
import { readTextStart } from '../../lib/read-text.ts';
import { Button } from '../button.tsx';
import type { LightboxItem } from './lightbox-item.ts';
import { MediaLoading } from './media-loading.tsx';

type MediaTextProps = {
  item: LightboxItem;
  /** Otherwise nothing of it is loaded. */
  isShown: boolean;
  onFail: () => void;
};

/** The beginning of a text, as text: whatever it says, nothing in it becomes part of the page. */
export function MediaText({ item, isShown, onFail }: MediaTextProps) {
  const { data, isError } = useQuery({
    queryKey: ['text-preview', item.previewUrl],
    queryFn: ({ signal }) => fetchTextStart(item.previewUrl, signal),
    enabled: isShown,
    gcTime: 0,
  });
  const [isWrapped, setIsWrapped] = useState(true);
  useEffect(() => {
    if (isError) onFail();
  }, [isError, onFail]);
  if (!data) return <MediaLoading />;
  const isCut = data.isCut || item.sizeBytes > TEXT_PREVIEW_BYTES;
  return (
    <div className="flex size-full animate-fade-in flex-col gap-3 px-3 sm:mx-auto sm:max-w-[72rem] sm:px-20">
      <div className="flex shrink-0 items-center justify-between gap-4 pl-2">
        <p className="text-sm text-ink-soft">
          {isCut && `Cut at ${formatSize(TEXT_PREVIEW_BYTES)}. Download the file to read all of it.`}
        </p>
        <Button
          variant="ghost"
          size="sm"
          icon={<WrapText aria-hidden="true" />}
          aria-pressed={isWrapped}
          className="aria-pressed:text-accent-ink"
          onClick={() => setIsWrapped(!isWrapped)}
        >
          Wrap lines
        </Button>
      </div>
      <section
        aria-label={item.name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        {...(!isWrapped && { 'data-own-keys': '', 'data-own-gestures': '' })}
        className={classNames(
          'min-h-0 grow overflow-auto overscroll-contain rounded-md border border-line bg-surface p-4 focus-visible:-outline-offset-2 sm:p-6',
          isWrapped ? 'touch-pan-y' : 'touch-auto',
        )}
      >
        <pre
          className={classNames(
            'font-mono text-sm leading-relaxed [tab-size:4]',
            isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : 'w-max',
          )}
        >
          {data.text}
        </pre>
      </section>
    </div>
  );
}

async function fetchTextStart(url: string, signal: AbortSignal) {
  const response = await fetch(url, { signal, credentials: 'same-origin' });
  if (!response.ok || !response.body) throw new Error(`The preview was answered with ${response.status}`);
  return readTextStart(response.body, TEXT_PREVIEW_BYTES);
}
