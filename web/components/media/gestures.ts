import { type PointerEvent, useEffect, useRef } from 'react';
import { distanceBetween, midpoint, type Point, type Zoom } from './zoom.ts';

/** Movement in pixels that still counts as a tap. */
const SLOP = 8;
/** A swipe pages after this share of the width, or earlier when it is a flick. */
const SWIPE_WIDTH_SHARE = 0.25;
const FLICK = { pixels: 24, pixelsPerMs: 0.4 };
/** Share of the movement that a drag past the first or last item follows. */
const RESISTANCE = 0.25;
/** Bottom area of a video, where browsers draw the controls. */
const CONTROLS_PIXELS = 96;
const DOUBLE_TAP_MS = 350;
const DOUBLE_TAP_PIXELS = 32;

type Gestures = {
  zoom: Zoom;
  /** Pictures support pinch, double tap and mouse drag; other items only touch swipes. */
  isPicture: boolean;
  /** Whether there is an item in the direction -1 or 1. */
  canPage: (step: number) => boolean;
  onPage: (step: number) => void;
};

type Touch = { start: Point; last: Point; startMs: number };

/** Swipe, pinch, drag and double tap on `zoom.surface`. Sets `--drag` to the distance of a swipe. */
export function useGestures({ zoom, isPicture, canPage, onPage }: Gestures) {
  const { surface } = zoom;
  const touches = useRef(new Map<number, Touch>());
  /** Whether the gesture exceeds a tap. Reset when the last finger is lifted. */
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
    const from = midpoint(...before);
    const middle = midpoint(...after);
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
    const distance = last.x - start.x;
    const isFarEnough = Math.abs(distance) > SWIPE_WIDTH_SHARE * (surface.current?.clientWidth ?? 0);
    const isFlick =
      Math.abs(distance) > FLICK.pixels &&
      Math.abs(distance) / Math.max(1, endMs - startMs) > FLICK.pixelsPerMs;
    const step = -Math.sign(distance);
    if ((isFarEnough || isFlick) && canPage(step)) onPage(step);
  };
  const releasePointer = (pointerId: number) => {
    touches.current.delete(pointerId);
    if (touches.current.size > 0) return;
    hasMoved.current = false;
    surface.current?.style.removeProperty('--drag');
    surface.current?.removeAttribute('data-dragging');
  };

  return {
    onPointerDown: (event: PointerEvent) => {
      if (!acceptsPointer(event, isPicture)) return;
      const at = pointOf(event);
      touches.current.set(event.pointerId, { start: at, last: at, startMs: event.timeStamp });
    },
    onPointerMove: (event: PointerEvent) => {
      const touch = touches.current.get(event.pointerId);
      if (!touch) return;
      const at = pointOf(event);
      if (!hasMoved.current && distanceBetween(touch.start, at) < SLOP) return;
      if (!hasMoved.current) {
        hasMoved.current = true;
        surface.current?.setAttribute('data-dragging', '');
        surface.current?.setPointerCapture(event.pointerId);
      }
      const [one, other] = [...touches.current.values()];
      if (isPicture && one && other) return pinch(one, other, touch, at);
      if (isPicture && zoom.isZoomedIn()) zoom.moveBy(at.x - touch.last.x, at.y - touch.last.y);
      else drag(at.x - touch.start.x);
      touch.last = at;
    },
    onPointerUp: (event: PointerEvent) => {
      const touch = touches.current.get(event.pointerId);
      if (!touch) return;
      const isLast = touches.current.size === 1;
      if (isLast && !hasMoved.current && isPicture) tap(pointOf(event), event.timeStamp);
      if (isLast && hasMoved.current && !(isPicture && zoom.isZoomedIn())) endSwipe(touch, event.timeStamp);
      // A finger that remains after a pinch starts a new gesture.
      for (const rest of touches.current.values()) rest.start = rest.last;
      releasePointer(event.pointerId);
    },
    onPointerCancel: (event: PointerEvent) => releasePointer(event.pointerId),
  };
}

/** Ignores controls, players and text with gestures of their own. */
function acceptsPointer({ target, pointerType, button, clientY }: PointerEvent, isPicture: boolean): boolean {
  if (!(target instanceof Element) || target.closest('a, button, [data-own-gestures]')) return false;
  if (document.fullscreenElement) return false;
  if (target instanceof HTMLVideoElement && clientY > target.getBoundingClientRect().bottom - CONTROLS_PIXELS)
    return false;
  return pointerType === 'mouse' ? isPicture && button === 0 : true;
}

function pointOf({ clientX, clientY }: PointerEvent): Point {
  return { x: clientX, y: clientY };
}

/** Zooms on trackpad pinches, which browsers report as wheel events with Ctrl. Other wheel events pan. */
function useWheelZoom(zoom: Zoom, isPicture: boolean): void {
  const latest = useRef({ zoom, isPicture });
  latest.current = { zoom, isPicture };
  useEffect(() => {
    const surface = latest.current.zoom.surface.current;
    const handleWheel = (event: WheelEvent) => {
      if (!latest.current.isPicture) return;
      const { scaleBy, moveBy, isZoomedIn } = latest.current.zoom;
      if (event.ctrlKey) scaleBy(Math.exp(-event.deltaY / 100), { x: event.clientX, y: event.clientY });
      else if (isZoomedIn()) moveBy(-event.deltaX, -event.deltaY);
      else return;
      event.preventDefault();
    };
    // React's wheel listeners are passive and can't prevent the browser's own zoom.
    surface?.addEventListener('wheel', handleWheel, { passive: false });
    return () => surface?.removeEventListener('wheel', handleWheel);
  }, []);
}
