import { X, ZoomIn, ZoomOut } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { useMediaQuery } from '../../lib/use-media-query.ts';
import { IconButton } from '../icon-button.tsx';
import { useFocusReturn } from '../use-focus-return.ts';
import { VisuallyHidden } from '../visually-hidden.tsx';
import type { LightboxItem, LightboxProps } from './lightbox.tsx';
import { LightboxFilmstrip } from './lightbox-filmstrip.tsx';
import { LightboxDownload } from './lightbox-slide.tsx';
import { LightboxStage } from './lightbox-stage.tsx';
import { LARGEST_SCALE, useZoom, type Zoom } from './zoom.ts';

/** Where the thumbnails of all leave the picture its room. */
const HAS_FILMSTRIP = '(min-width: 1024px) and (min-height: 640px)';

/** The dialog; while it fades out it shows what it showed last. */
export function LightboxWindow({ items, openId, onOpenChange, onDownload }: LightboxProps) {
  const openIndex = items.findIndex(({ id }) => id === openId);
  const [lastIndex, setLastIndex] = useState(0);
  if (openIndex >= 0 && openIndex !== lastIndex) setLastIndex(openIndex);
  const index = openIndex >= 0 ? openIndex : Math.min(lastIndex, items.length - 1);
  useBackCloses(openIndex >= 0, () => onOpenChange(null));
  return (
    <Radix.Root open={openIndex >= 0} onOpenChange={(isOpen) => !isOpen && onOpenChange(null)}>
      <Radix.Portal>
        {/* Dark around pictures in every theme. */}
        <Radix.Overlay
          data-theme="dark"
          className="fixed inset-0 z-40 bg-sunken text-ink data-[state=closed]:animate-fade-out data-[state=open]:animate-fade-in"
        >
          {index >= 0 && (
            <LightboxContent
              items={items}
              index={index}
              onShow={(next) => onOpenChange(items[next]!.id)}
              onDownload={onDownload}
            />
          )}
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}

type LightboxContentProps = {
  items: LightboxItem[];
  index: number;
  onShow: (index: number) => void;
  onDownload: LightboxProps['onDownload'];
};

function LightboxContent({ items, index, onShow, onDownload }: LightboxContentProps) {
  const item = items[index]!;
  const isPicture = item.kind === 'image' || item.kind === 'pdf';
  const position = `${index + 1} of ${items.length}`;
  const zoom = useZoom(item.id);
  const hasFilmstrip = useMediaQuery(HAS_FILMSTRIP) && items.length > 1;
  const [firstId] = useState(item.id);
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn();
  // The window itself takes the focus: its name is read, and no button pretends to be the first thing to do.
  const focusWindow = (event: Event) => {
    onOpenAutoFocus();
    event.preventDefault();
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
  };
  const show = (next: number) => {
    const within = Math.min(items.length - 1, Math.max(0, next));
    if (within !== index) onShow(within);
  };
  const actions: Record<string, () => void> = {
    ArrowLeft: () => show(index - 1),
    ArrowRight: () => show(index + 1),
    Home: () => show(0),
    End: () => show(items.length - 1),
    ...(isPicture && { '+': zoom.enlarge, '=': zoom.enlarge, '-': zoom.reduce, '0': zoom.fit }),
  };
  const handleKey = (event: KeyboardEvent) => {
    const action = actions[event.key];
    if (!action || event.altKey || event.ctrlKey || event.metaKey || ownsKeys(event.target)) return;
    event.preventDefault();
    action();
  };
  return (
    <Radix.Content
      onOpenAutoFocus={focusWindow}
      onCloseAutoFocus={onCloseAutoFocus}
      onEscapeKeyDown={keepOpenForToasts}
      onInteractOutside={keepOpenForToasts}
      onKeyDown={handleKey}
      className="flex size-full flex-col outline-none"
    >
      <LightboxBar {...{ item, position, onDownload }} zoom={isPicture ? zoom : undefined} />
      <LightboxStage {...{ items, index, zoom, isPicture, onDownload }} onShow={show} />
      {hasFilmstrip && <LightboxFilmstrip items={items} index={index} onShow={show} />}
      {/* The first one is read as the dialog's own name. */}
      <VisuallyHidden isAnnounced>{item.id !== firstId && `${item.name}, ${position}`}</VisuallyHidden>
    </Radix.Content>
  );
}

function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-toast-region]')) event.preventDefault();
}

/** Players and texts that scroll sideways use the same keys. */
function ownsKeys(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-own-keys]') !== null;
}

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

/**
 * While something covers the whole page, Back closes it instead of leaving the page: it has an entry of its own in
 * the history, which goes when it is closed in another way.
 */
export function useBackCloses(isOpen: boolean, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isOpen) return;
    let isBack = false;
    const handleStep = () => {
      isBack = true;
      close.current();
    };
    // With all that the router keeps there: to it, this is still the same page.
    window.history.pushState({ ...window.history.state, isCovered: true }, '');
    window.addEventListener('popstate', handleStep);
    return () => {
      window.removeEventListener('popstate', handleStep);
      // A link may have led on meanwhile.
      const isStillOurs = (window.history.state as { isCovered?: boolean } | null)?.isCovered;
      if (!isBack && isStillOurs) window.history.back();
    };
  }, [isOpen]);
}
