import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, useState } from 'react';
import { useMediaQuery } from '../../lib/use-media-query.ts';
import { useFocusReturn } from '../use-focus-return.ts';
import { VisuallyHidden } from '../visually-hidden.tsx';
import type { LightboxProps } from './lightbox.tsx';
import { LightboxBar } from './lightbox-bar.tsx';
import { LightboxFilmstrip } from './lightbox-filmstrip.tsx';
import type { LightboxItem } from './lightbox-item.ts';
import { LightboxStage } from './lightbox-stage.tsx';
import { useBackCloses } from './use-back-closes.ts';
import { useZoom } from './use-zoom.ts';

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
