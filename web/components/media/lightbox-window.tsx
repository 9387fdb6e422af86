import { t } from '@lingui/core/macro';
import { X, ZoomIn, ZoomOut } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { useMediaQuery } from '../../lib/hooks/use-media-query.ts';
import { IconButton } from '../actions/icon-button.tsx';
import { FileNameText } from '../data/file-name-text.tsx';
import { useFocusReturn } from '../dialogs/use-focus-return.ts';
import { VisuallyHidden } from '../layout/visually-hidden.tsx';
import type { LightboxItem, LightboxProps } from './lightbox.tsx';
import { LightboxFilmstrip } from './lightbox-filmstrip.tsx';
import { DownloadButton } from './lightbox-slide.tsx';
import { LightboxStage } from './lightbox-stage.tsx';
import { MAX_SCALE, useZoom, type Zoom } from './zoom.ts';

/** Only on screens where the filmstrip leaves enough room for the picture. */
const HAS_FILMSTRIP = '(min-width: 1024px) and (min-height: 640px)';

/** The dialog. While it fades out it keeps showing the last item. */
export function LightboxWindow({ items, openId, onOpenChange, onDownload }: LightboxProps) {
  const openIndex = items.findIndex(({ id }) => id === openId);
  const [lastIndex, setLastIndex] = useState(0);
  if (openIndex >= 0 && openIndex !== lastIndex) setLastIndex(openIndex);
  const index = openIndex >= 0 ? openIndex : Math.min(lastIndex, items.length - 1);
  useBackCloses(openIndex >= 0, () => onOpenChange(null));
  return (
    <Radix.Root open={openIndex >= 0} onOpenChange={(isOpen) => !isOpen && onOpenChange(null)}>
      <Radix.Portal>
        {/* Pictures have a dark surround in both themes. */}
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
  const isPicture = item.kind === 'image';
  const canZoom = isPicture || item.kind === 'pdf';
  const position = t`${index + 1} of ${items.length}`;
  const zoom = useZoom(item.id);
  const hasFilmstrip = useMediaQuery(HAS_FILMSTRIP) && items.length > 1;
  const [initialId] = useState(item.id);
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn();
  // Focus the dialog rather than its first button, so that screen readers announce the file name.
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
    ...(canZoom && { '+': zoom.zoomIn, '=': zoom.zoomIn, '-': zoom.zoomOut, '0': zoom.fit }),
  };
  const handleKey = (event: KeyboardEvent) => {
    const action = actions[event.key];
    if (!action || event.altKey || event.ctrlKey || event.metaKey || handlesOwnKeys(event.target)) return;
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
      <LightboxBar {...{ item, position, onDownload }} zoom={canZoom ? zoom : undefined} />
      <LightboxStage {...{ items, index, zoom, isPicture, onDownload }} onShow={show} />
      {hasFilmstrip && <LightboxFilmstrip items={items} index={index} onShow={show} />}
      {/* The initial item is already announced as the dialog's name. */}
      <VisuallyHidden isAnnounced>{item.id !== initialId && `${item.name}, ${position}`}</VisuallyHidden>
    </Radix.Content>
  );
}

function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-toast-region]')) event.preventDefault();
}

/** Players and horizontally scrolling text use the arrow keys themselves. */
function handlesOwnKeys(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-own-keys]') !== null;
}

type LightboxBarProps = {
  item: LightboxItem;
  /** For example '3 of 12'. */
  position: string;
  /** undefined when the item can't be zoomed. */
  zoom: Zoom | undefined;
  onDownload: ((id: string) => void) | undefined;
};

/** File name, position and actions. */
function LightboxBar({ item, position, zoom, onDownload }: LightboxBarProps) {
  return (
    <header className="z-10 flex shrink-0 items-center gap-2 pt-[max(0.75rem,env(safe-area-inset-top))] pr-[max(0.75rem,env(safe-area-inset-right))] pb-3 pl-[max(1.25rem,env(safe-area-inset-left))] sm:gap-3">
      <div className="min-w-0 grow">
        <Radix.Title className="text-lg leading-snug">
          <FileNameText name={item.name} />
        </Radix.Title>
        <Radix.Description className="tabular text-sm text-ink-soft">
          {position} · {formatSize(item.sizeBytes)}
        </Radix.Description>
      </div>
      {zoom && (
        <div className="flex items-center gap-1 max-sm:hidden">
          <IconButton
            label={t`Zoom out`}
            icon={<ZoomOut />}
            tooltip="none"
            aria-disabled={zoom.scale <= 1}
            className="aria-disabled:opacity-50"
            onClick={zoom.zoomOut}
          />
          <output aria-label={t`Zoom`} className="tabular w-12 text-center text-sm text-ink-soft">
            {Math.round(zoom.scale * 100)}%
          </output>
          <IconButton
            label={t`Zoom in`}
            icon={<ZoomIn />}
            tooltip="none"
            aria-disabled={zoom.scale >= MAX_SCALE}
            className="aria-disabled:opacity-50"
            onClick={zoom.zoomIn}
          />
        </div>
      )}
      {onDownload && <DownloadButton onClick={() => onDownload(item.id)} variant="secondary" size="sm" />}
      <Radix.Close asChild>
        <IconButton label={t`Close`} icon={<X />} tooltip="none" />
      </Radix.Close>
    </header>
  );
}

/**
 * Makes the browser's Back button close the lightbox instead of leaving the page. Adds a history entry on opening and
 * removes it when the lightbox is closed in another way.
 */
function useBackCloses(isOpen: boolean, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isOpen) return;
    let isBack = false;
    const handlePopState = () => {
      isBack = true;
      close.current();
    };
    // Keep the router's state, so that the entry counts as the same page.
    window.history.pushState({ ...window.history.state, isCovered: true }, '');
    window.addEventListener('popstate', handlePopState);
    return () => {
      window.removeEventListener('popstate', handlePopState);
      // Skip this after a navigation, when the current entry is no longer ours.
      const isStillOurs = (window.history.state as { isCovered?: boolean } | null)?.isCovered;
      if (!isBack && isStillOurs) window.history.back();
    };
  }, [isOpen]);
}
