import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { placeBeside } from './place-beside.ts';
import type { TooltipSide } from './tooltip.ts';

const OPEN_AFTER_MS = 700;
/** Another tooltip opens immediately this soon after one closed. */
const STAY_WARM_MS = 300;
/** Time to move the pointer from the element to its tooltip (WCAG 1.4.13). */
const CLOSE_AFTER_MS = 150;

/** Shows the tooltip of the hovered or focused element. Mounted once, instead of a component per button. */
export function TooltipLayer() {
  const [owner, setOwner] = useState<HTMLElement | null>(null);
  const bubble = useRef<HTMLDivElement>(null);
  useEffect(() => watchDocument(setOwner, () => bubble.current), []);
  useLayoutEffect(() => {
    const { current } = bubble;
    if (!owner || !current) return;
    const side = owner.dataset.tooltipSide as TooltipSide;
    const size = { width: current.offsetWidth, height: current.offsetHeight };
    const room = { width: document.documentElement.clientWidth, height: window.innerHeight };
    const { left, top } = placeBeside(owner.getBoundingClientRect(), { side, size, room });
    current.style.translate = `${left}px ${top}px`;
  }, [owner]);
  if (!owner?.isConnected) return null;
  return createPortal(
    <div
      ref={bubble}
      role="tooltip"
      className="pointer-events-auto fixed top-0 left-0 z-50 w-max max-w-72 animate-fade-in rounded-sm bg-ink forced-colors:border px-2.5 py-1.5 text-xs font-medium text-canvas shadow-mid"
    >
      {owner.dataset.tooltip}
    </div>,
    document.body,
  );
}

/** `show` gets the element whose tooltip is visible from then on. */
function watchDocument(
  show: (owner: HTMLElement | null) => void,
  findBubble: () => HTMLElement | null,
): () => void {
  let shown: HTMLElement | null = null;
  let pending: HTMLElement | null = null;
  let closedAt = Number.NEGATIVE_INFINITY;
  let isByKey = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const cancel = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const change = (next: HTMLElement | null) => {
    cancel();
    if (next === shown) return;
    if (shown) closedAt = performance.now();
    shown = next;
    show(next);
  };
  const schedule = (next: HTMLElement | null, ms: number) => {
    if (timer !== undefined && pending === next) return;
    cancel();
    pending = next;
    timer = setTimeout(() => change(next), ms);
  };
  const hide = () => change(null);

  const listeners: { [name in keyof DocumentEventMap]?: (event: DocumentEventMap[name]) => void } = {
    pointerover({ target, pointerType }) {
      if (pointerType === 'touch') return;
      if (target instanceof Node && findBubble()?.contains(target)) return cancel();
      const owner = ownerOf(target);
      if (owner === shown) return cancel();
      if (!owner) return schedule(null, CLOSE_AFTER_MS);
      const isWarm = shown !== null || performance.now() - closedAt < STAY_WARM_MS;
      schedule(owner, isWarm ? 0 : OPEN_AFTER_MS);
    },
    // The pointer left the window.
    pointerout: ({ relatedTarget }) => void (relatedTarget === null && schedule(null, CLOSE_AFTER_MS)),
    // Not for focus that a script or a press moved.
    focusin: ({ target }) => void (isByKey && change(ownerOf(target))),
    focusout: ({ target }) => void (shown && ownerOf(target) === shown && hide()),
    pointerdown() {
      isByKey = false;
      hide();
    },
    click: hide,
    scroll: ({ target }) => void (shown && target instanceof Node && target.contains(shown) && hide()),
    keydown(event) {
      isByKey = event.key === 'Tab' || event.key.startsWith('Arrow');
      if (event.key !== 'Escape' || !shown) return;
      // Closes only the tooltip, not the dialog around it.
      event.stopImmediatePropagation();
      hide();
    },
  };
  // The pointer may have arrived before this code.
  const hovered = document.querySelector<HTMLElement>('[data-tooltip]:hover');
  if (hovered) schedule(hovered, OPEN_AFTER_MS);
  const each = Object.entries(listeners) as [string, EventListener][];
  for (const [name, listener] of each)
    document.addEventListener(name, listener, { capture: true, passive: true });
  return () => {
    cancel();
    for (const [name, listener] of each) document.removeEventListener(name, listener, { capture: true });
  };
}

function ownerOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null;
}
