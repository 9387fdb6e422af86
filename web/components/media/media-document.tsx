import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { PDF_PREVIEW_PAGES } from '../../../contracts/transfers/downloads/previews.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { classNames } from '../../lib/class-names.ts';
import { useLoaded } from '../../lib/hooks/use-loaded.ts';
import { Button } from '../actions/button.tsx';
import { Spinner } from '../feedback/spinner.tsx';
import type { LightboxItem } from './lightbox.tsx';
import type { Zoom } from './zoom.ts';

/** Until a page has loaded: A4. */
const USUAL_RATIO = 210 / 297;
const WIDEST_REM = 52;

type MediaDocumentProps = {
  item: LightboxItem;
  /** undefined unless this is the current item. Neighbors load their first page only. */
  zoom: Zoom | undefined;
  canDownload: boolean;
  onFail: () => void;
};

/** The pages of a document, one below the other. Pages load when they come near. */
export function MediaDocument({ item, zoom, canDownload, onFail }: MediaDocumentProps) {
  const { data, error } = useLoaded(zoom && item.pagesUrl, (signal) =>
    fetchPageCount(item.pagesUrl!, signal),
  );
  const [ratio, setRatio] = useState(USUAL_RATIO);
  const count = data?.pageCount ?? 1;
  const pages = Array.from({ length: Math.min(count, PDF_PREVIEW_PAGES) }, (_, index) => index + 1);
  const scale = zoom?.scale ?? 1;
  return (
    <section
      aria-label={item.name}
      // Scrollable regions must be reachable by keyboard.
      tabIndex={zoom && 0}
      {...(scale > 1 && { 'data-own-keys': '', 'data-own-gestures': '' })}
      className={classNames(
        'size-full overflow-auto overscroll-contain px-3 pb-4 focus-visible:-outline-offset-2 sm:px-20',
        scale > 1 ? 'touch-auto' : 'touch-pan-y',
      )}
    >
      <ol
        data-testid={zoom && 'lightbox-pages'}
        className="mx-auto flex flex-col gap-3 sm:gap-5"
        style={{ width: `calc(min(100%, ${WIDEST_REM}rem) * ${scale})` }}
      >
        {pages.map((page) => (
          <li key={page}>
            <Page
              src={page === 1 ? item.previewUrl : `${item.pagesUrl}/${page}`}
              alt={count > 1 ? t`Page ${page} of ${count}` : item.name}
              ratio={ratio}
              onRatio={page === 1 ? setRatio : undefined}
              onFail={page === 1 ? onFail : undefined}
            />
          </li>
        ))}
      </ol>
      <p role="status" className="flex items-center justify-center gap-3 px-5 pt-4 text-sm text-ink-soft">
        {zoom && item.pagesUrl !== undefined && !data && !error ? (
          <>
            <Spinner className="size-4" /> <Trans>Loading more pages</Trans>
          </>
        ) : (
          describeRest(data?.pageCount ?? null, canDownload)
        )}
      </p>
    </section>
  );
}

/** What is not shown; undefined if that is nothing. `pageCount`: null if only the first page can be shown. */
function describeRest(pageCount: number | null, canDownload: boolean): string | undefined {
  if (pageCount === null)
    return canDownload
      ? t`This is the first page. Download the file to read all of it.`
      : t`This is the first page.`;
  if (pageCount <= PDF_PREVIEW_PAGES) return undefined;
  const shown = formatCount(PDF_PREVIEW_PAGES);
  const all = formatCount(pageCount);
  return canDownload
    ? t`These are the first ${shown} of ${all} pages. Download the file to read all of it.`
    : t`These are the first ${shown} of ${all} pages.`;
}

type PageProps = {
  src: string;
  alt: string;
  /** Until the page has loaded, so that later pages keep their place. */
  ratio: number;
  onRatio: ((ratio: number) => void) | undefined;
  /** By default the page offers another attempt. */
  onFail: (() => void) | undefined;
};

function Page({ src, alt, ratio, onRatio, onFail }: PageProps) {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading');
  if (state === 'failed')
    return (
      <div
        className="flex flex-col items-center justify-center gap-4 rounded-xs border border-line p-6 text-center text-ink-soft"
        style={{ aspectRatio: ratio }}
      >
        <p>
          <Trans>This page could not be loaded.</Trans>
        </p>
        <Button
          variant="secondary"
          size="sm"
          onClick={() => {
            setAttempt(attempt + 1);
            setState('loading');
          }}
        >
          <Trans>Try again</Trans>
        </Button>
      </div>
    );
  return (
    <img
      key={attempt}
      src={src}
      alt={alt}
      loading="lazy"
      decoding="async"
      draggable={false}
      style={state === 'loading' ? { aspectRatio: ratio } : undefined}
      className={classNames('w-full rounded-xs', state === 'loaded' ? 'bg-white' : 'bg-press')}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
        setState('loaded');
        onRatio?.(naturalWidth / naturalHeight);
      }}
      onError={() => (onFail ? onFail() : setState('failed'))}
    />
  );
}

async function fetchPageCount(url: string, signal: AbortSignal): Promise<{ pageCount: number | null }> {
  const response = await fetch(url, { signal, credentials: 'same-origin' });
  if (!response.ok) throw new Error(`Counting pages failed with status ${response.status}`);
  return (await response.json()) as { pageCount: number | null };
}
