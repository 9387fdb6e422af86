import { type PointerEvent, useEffect, useRef } from 'react';
import { distanceBetween, middleOf, type Point, type Zoom } from './zoom.ts';

/** Pixels a finger may tremble. */
const SLOP = 8;
/** A swipe pages when it went over this share of the width, or quickly over some pixels. */
const FAR = 0.25;
const QUICK = { pixels: 24, pixelsPerMs: 0.4 };
/** How a drag beyond the first or last follows the finger. */
const RESISTANCE = 0.25;
/** The lower part of a video, where browsers put its controls. */
const CONTROLS_PIXELS = 96;
const DOUBLE_TAP_MS = 350;
const DOUBLE_TAP_PIXELS = 32;

type Gestures = {
  zoom: Zoom;
  /** A picture takes pinches, double taps and drags of the mouse too; anything else only swipes of fingers. */
  isPicture: boolean;
  /** -1 or 1: whether there is something in that direction. */
  canPage: (step: number) => boolean;
  onPage: (step: number) => void;
};

type Touch = { start: Point; last: Point; startMs: number };

/** Swipes, pinches, drags and double taps on `zoom.surface`; how far a swipe has come is its `--drag`. */
export function useGestures({ zoom, isPicture, canPage, onPage }: Gestures) {
  const { surface } = zoom;
  const touches = useRef(new Map<number, Touch>());
  /** More than a tap, until every finger is up. */
  const hasMoved = useRef(false);
  const lastTap = useRef<{ at: Point; ms: number } | undefined>(undefined);
  useWheelZoom(zoom, isPicture);

  const drag = (pixels: number) => {
    const resisted = canPage(-Math.sign(pixels)) ? pixels : pixels * RESISTANCE;
    surface.current?.style.setProperty('--drag', `${resisted}px`);
  };
  const pinch = (one: Touch, other: Touch, moved: Touch, to: Point) => {
    const before = [one.last, other.last] as const;
    moved.last = to;
    const after = [one.last, other.last] as const;
    const from = middleOf(...before);
    const middle = middleOf(...after);
    zoom.moveBy(middle.x - from.x, middle.y - from.y);
    zoom.scaleBy(distanceBetween(...after) / Math.max(1, distanceBetween(...before)), middle);
  };
  const tap = (at: Point, ms: number) => {
    const last = lastTap.current;
    const isDouble = last && ms - last.ms < DOUBLE_TAP_MS && distanceBetween(last.at, at) < DOUBLE_TAP_PIXELS;
    lastTap.current = isDouble ? undefined : { at, ms };
    if (isDouble) zoom.toggle(at);
  };
  const endSwipe = ({ start, last, startMs }: Touch, endMs: number) => {
    const way = last.x - start.x;
    const isFar = Math.abs(way) > FAR * (surface.current?.clientWidth ?? 0);
    const isQuick =
      Math.abs(way) > QUICK.pixels && Math.abs(way) / Math.max(1, endMs - startMs) > QUICK.pixelsPerMs;
    const step = -Math.sign(way);
    if ((isFar || isQuick) && canPage(step)) onPage(step);
  };
  const letGo = (pointerId: number) => {
    touches.current.delete(pointerId);
    if (touches.current.size > 0) return;
    hasMoved.current = false;
    surface.current?.style.removeProperty('--drag');
    surface.current?.removeAttribute('data-dragging');
  };

  return {
    onPointerDown: (event: PointerEvent) => {
      if (!isTaken(event, isPicture)) return;
      const at = placeOf(event);
      touches.current.set(event.pointerId, { start: at, last: at, startMs: event.timeStamp });
    },
    onPointerMove: (event: PointerEvent) => {
      const touch = touches.current.get(event.pointerId);
      if (!touch) return;
      const at = placeOf(event);
      if (!hasMoved.current && distanceBetween(touch.start, at) < SLOP) return;
      if (!hasMoved.current) {
        hasMoved.current = true;
        surface.current?.setAttribute('data-dragging', '');
        surface.current?.setPointerCapture(event.pointerId);
      }
      const [one, other] = [...touches.current.values()];
      if (isPicture && one && other) return pinch(one, other, touch, at);
      if (isPicture && zoom.isEnlarged()) zoom.moveBy(at.x - touch.last.x, at.y - touch.last.y);
      else drag(at.x - touch.start.x);
      touch.last = at;
    },
    onPointerUp: (event: PointerEvent) => {
      const touch = touches.current.get(event.pointerId);
      if (!touch) return;
      const isLast = touches.current.size === 1;
      if (isLast && !hasMoved.current && isPicture) tap(placeOf(event), event.timeStamp);
      if (isLast && hasMoved.current && !(isPicture && zoom.isEnlarged())) endSwipe(touch, event.timeStamp);
      // The finger that stays after a pinch begins anew.
      for (const rest of touches.current.values()) rest.start = rest.last;
      letGo(event.pointerId);
    },
    onPointerCancel: (event: PointerEvent) => letGo(event.pointerId),
  };
}

/** Not what a button, a player or a text wants for itself. */
function isTaken({ target, pointerType, button, clientY }: PointerEvent, isPicture: boolean): boolean {
  if (!(target instanceof Element) || target.closest('a, button, [data-own-gestures]')) return false;
  if (document.fullscreenElement) return false;
  if (target instanceof HTMLVideoElement && clientY > target.getBoundingClientRect().bottom - CONTROLS_PIXELS)
    return false;
  return pointerType === 'mouse' ? isPicture && button === 0 : true;
}

function placeOf({ clientX, clientY }: PointerEvent): Point {
  return { x: clientX, y: clientY };
}

/** Pinching on a touch pad, which browsers tell as a wheel with Ctrl; otherwise the wheel moves what is enlarged. */
function useWheelZoom(zoom: Zoom, isPicture: boolean): void {
  const latest = useRef({ zoom, isPicture });
  latest.current = { zoom, isPicture };
  useEffect(() => {
    const surface = latest.current.zoom.surface.current;
    const turn = (event: WheelEvent) => {
      if (!latest.current.isPicture) return;
      const { scaleBy, moveBy, isEnlarged } = latest.current.zoom;
      if (event.ctrlKey) scaleBy(Math.exp(-event.deltaY / 100), { x: event.clientX, y: event.clientY });
      else if (isEnlarged()) moveBy(-event.deltaX, -event.deltaY);
      else return;
      event.preventDefault();
    };
    // Not by React, whose listeners cannot keep the page from zooming itself.
    surface?.addEventListener('wheel', turn, { passive: false });
    return () => surface?.removeEventListener('wheel', turn);
  }, []);
}
