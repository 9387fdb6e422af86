import { t } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { Ripples } from '../../components/layout/ripples.tsx';
import { classNames } from '../../lib/class-names.ts';
import { carriesFiles } from './dropped-items.ts';

/** Covers the window while files hover over it. Rendered in the body, because the page's columns have their own stacking order. */
export function DropVeil({ isRefused }: { isRefused: boolean }) {
  return createPortal(
    <div className="pointer-events-none fixed inset-0 z-50 grid animate-fade-in place-items-center bg-veil p-4">
      <div
        className={classNames(
          'relative isolate grid size-full place-items-center overflow-hidden rounded-xl border-2 border-dashed bg-raised px-6 text-center text-balance',
          isRefused ? 'border-edge' : 'border-accent-ink',
        )}
      >
        {!isRefused && (
          <Ripples
            motion="flow"
            tone="accent"
            count={6}
            className="absolute top-1/2 left-1/2 -z-10 size-[70rem] -translate-x-1/2 -translate-y-1/2"
          />
        )}
        <p className="font-heading text-3xl">
          {isRefused ? t`You can add files when this upload has finished` : t`Drop to add`}
        </p>
      </div>
    </div>,
    document.body,
  );
}

/**
 * Calls `onDrop` for files dropped anywhere in the window or pasted. Returns whether files hover over it. Ignores
 * drops that an element of the page has handled, and pastes into fields.
 */
export function useFileDrop(onDrop: (transfer: DataTransfer) => void): boolean {
  const [isHovering, setHovering] = useState(false);
  useEffect(() => {
    const hover = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      if (event.defaultPrevented) return setHovering(false);
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      setHovering(true);
    };
    const leave = (event: DragEvent) => {
      // Null only when the pointer leaves the window.
      if (event.relatedTarget === null) setHovering(false);
    };
    const drop = (event: DragEvent) => {
      setHovering(false);
      if (!carriesFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      onDrop(event.dataTransfer!);
    };
    const paste = (event: ClipboardEvent) => {
      const { clipboardData, target } = event;
      const isIntoField = target instanceof Element && target.closest('input, textarea, [contenteditable]');
      if (isIntoField || !clipboardData?.files.length) return;
      event.preventDefault();
      onDrop(clipboardData);
    };
    // Pointer events mean that nothing is dragged; some browsers don't report a cancelled drag.
    const move = () => setHovering(false);
    const events = {
      dragenter: hover,
      dragover: hover,
      dragleave: leave,
      drop,
      paste,
      pointermove: move,
    } as const;
    for (const [name, listener] of Object.entries(events))
      document.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(events))
        document.removeEventListener(name, listener as EventListener);
    };
  }, [onDrop]);
  return isHovering;
}
