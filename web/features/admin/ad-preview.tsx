import { useEffect, useState } from 'react';
import type { Ad } from '../../../contracts/plans/ads.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { toast } from '../../components/toast.ts';
import { useAdFile } from './ad-queries.ts';
import { useLast } from './use-last.ts';

/** An ad as free users see it. */
export function AdPreview({ ad, onClose }: { ad: Ad | null; onClose: () => void }) {
  const shown = useLast(ad ?? undefined);
  if (!shown) return null;
  return (
    <Dialog isOpen={ad !== null} onOpenChange={onClose} size="lg" title={shown.title}>
      <AdMedia ad={shown} />
      {shown.linkUrl && (
        <p className="mt-4 text-sm text-ink-soft">
          A click leads to{' '}
          <a href={shown.linkUrl} target="_blank" rel="noreferrer noopener" className="link wrap-anywhere">
            {shown.linkUrl}
            <span className="sr-only"> (opens in a new tab)</span>
          </a>
        </p>
      )}
    </Dialog>
  );
}

/** Lives as long as the dialog is open. */
function AdMedia({ ad: { id, type, title, url, wasabiKey } }: { ad: Ad }) {
  const [hasFailed, setFailed] = useState(false);
  const { data, isError } = useAdFile(id, wasabiKey !== null);
  // As in the banner: fall back to the ad's own URL if its file has none.
  const source = data?.url ?? (wasabiKey === null || isError ? (url ?? undefined) : undefined);
  const isBroken = hasFailed || (isError && !url);
  useEffect(() => {
    if (isBroken) toast({ title: 'Error', description: 'Failed to open ad preview', variant: 'destructive' });
  }, [isBroken]);
  const media = {
    src: source,
    className: 'size-full object-contain',
    onError: () => setFailed(true),
  };
  return (
    <div className="grid aspect-video place-items-center overflow-hidden rounded-md border border-line bg-sunken text-ink-soft">
      {isBroken && <p className="px-6 text-center">The {type} could not be shown.</p>}
      {!isBroken && !source && <Spinner className="size-8" />}
      {!isBroken && source && type === 'image' && <img {...media} alt={title} />}
      {!isBroken && source && type === 'video' && (
        <video {...media} aria-label={title} controls playsInline muted autoPlay />
      )}
    </div>
  );
}
