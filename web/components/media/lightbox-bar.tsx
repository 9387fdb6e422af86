import { X, ZoomIn, ZoomOut } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { IconButton } from '../icon-button.tsx';
import { LightboxDownload } from './lightbox-download.tsx';
import type { LightboxItem } from './lightbox-item.ts';
import { LARGEST_SCALE } from './pan-zoom.ts';
import type { Zoom } from './use-zoom.ts';

type LightboxBarProps = {
  item: LightboxItem;
  /** '3 of 12' */
  position: string;
  /** undefined: what shows cannot be enlarged. */
  zoom: Zoom | undefined;
  onDownload: ((id: string) => void) | undefined;
};

/** What it is, and what can be done with it. */
export function LightboxBar({ item, position, zoom, onDownload }: LightboxBarProps) {
  return (
    <header className="z-10 flex shrink-0 items-center gap-2 pt-[max(0.75rem,env(safe-area-inset-top))] pr-[max(0.75rem,env(safe-area-inset-right))] pb-3 pl-[max(1.25rem,env(safe-area-inset-left))] sm:gap-3">
      <div className="min-w-0 grow">
        <Radix.Title className="truncate text-lg leading-snug" title={item.name}>
          {item.name}
        </Radix.Title>
        <Radix.Description className="tabular text-sm text-ink-soft">
          {position} · {formatSize(item.sizeBytes)}
        </Radix.Description>
      </div>
      {zoom && (
        <div className="flex items-center gap-1 max-sm:hidden">
          <IconButton
            label="Zoom out"
            icon={<ZoomOut />}
            tooltip="none"
            aria-disabled={zoom.scale <= 1}
            className="aria-disabled:opacity-50"
            onClick={zoom.reduce}
          />
          <output aria-label="Zoom" className="tabular w-12 text-center text-sm text-ink-soft">
            {Math.round(zoom.scale * 100)}%
          </output>
          <IconButton
            label="Zoom in"
            icon={<ZoomIn />}
            tooltip="none"
            aria-disabled={zoom.scale >= LARGEST_SCALE}
            className="aria-disabled:opacity-50"
            onClick={zoom.enlarge}
          />
        </div>
      )}
      <LightboxDownload item={item} onDownload={onDownload} variant="secondary" size="sm" />
      <Radix.Close asChild>
        <IconButton label="Close" icon={<X />} tooltip="none" />
      </Radix.Close>
    </header>
  );
}
