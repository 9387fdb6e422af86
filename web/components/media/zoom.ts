import { useCallback, useLayoutEffect, useRef, useState } from 'react';

export type Point = { x: number; y: number };
type Size = { width: number; height: number };
/** Offset between the centers of picture and frame in CSS pixels, and the scale. */
type PanZoom = Point & { scale: number };

export const FITTED: PanZoom = { x: 0, y: 0, scale: 1 };
export const MAX_SCALE = 6;
/** Factor of the zoom buttons and keys. */
const STEP = 1.5;
const DOUBLE_TAP_SCALE = 2.5;

export type Zoom = ReturnType<typeof useZoom>;

/**
 * Zoom and pan of the current picture; a new `itemId` resets them. Written as CSS custom properties on `surface`, so
 * that dragging does not re-render React components.
 */
export function useZoom(itemId: string) {
  const surface = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const view = useRef(FITTED);
  const [scale, setScale] = useState(1);

  const apply = useCallback((wanted: PanZoom) => {
    view.current = clampToFrame(wanted, sizeOf(picture.current), sizeOf(frame.current));
    surface.current?.style.setProperty('--pan-x', `${view.current.x}px`);
    surface.current?.style.setProperty('--pan-y', `${view.current.y}px`);
    surface.current?.style.setProperty('--zoom', String(view.current.scale));
    setScale(view.current.scale);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new item resets the zoom.
  useLayoutEffect(() => apply(FITTED), [apply, itemId]);
  useLayoutEffect(() => {
    const handleResize = () => apply(view.current);
    window.addEventListener('resize', handleResize);
    return () => window.removeEventListener('resize', handleResize);
  }, [apply]);

  /** Converts viewport coordinates to coordinates relative to the frame's center. */
  const fromCenter = (point: Point): Point => {
    const box = frame.current?.getBoundingClientRect();
    return box ? { x: point.x - box.x - box.width / 2, y: point.y - box.y - box.height / 2 } : FITTED;
  };
  const zoomTo = (wanted: number, at?: Point) =>
    apply(zoomAround(view.current, wanted, at ? fromCenter(at) : FITTED));

  return {
    surface,
    frame,
    picture,
    scale,
    zoomIn: () => zoomTo(view.current.scale * STEP),
    zoomOut: () => zoomTo(view.current.scale / STEP),
    fit: () => apply(FITTED),
    /** Zooms in on a point of the viewport, or back out. */
    toggle: (at: Point) => zoomTo(view.current.scale > 1 ? 1 : DOUBLE_TAP_SCALE, at),
    isZoomedIn: () => view.current.scale > 1,
    scaleBy: (factor: number, at: Point) => zoomTo(view.current.scale * factor, at),
    moveBy: (x: number, y: number) =>
      apply({ ...view.current, x: view.current.x + x, y: view.current.y + y }),
  };
}

/** Layout size, unaffected by the scale. */
function sizeOf(element: HTMLElement | null) {
  return { width: element?.offsetWidth ?? 0, height: element?.offsetHeight ?? 0 };
}

/** Scales around a point, given relative to the frame's center, which stays where it is. */
export function zoomAround(view: PanZoom, scale: number, point: Point): PanZoom {
  const next = Math.min(MAX_SCALE, Math.max(1, scale));
  const growth = next / view.scale;
  return {
    scale: next,
    x: point.x + (view.x - point.x) * growth,
    y: point.y + (view.y - point.y) * growth,
  };
}

/** Keeps the picture's edges outside the frame, and centers a side that is smaller than the frame. */
export function clampToFrame(view: PanZoom, fitted: Size, frame: Size): PanZoom {
  return {
    scale: view.scale,
    x: clamp(view.x, (fitted.width * view.scale - frame.width) / 2),
    y: clamp(view.y, (fitted.height * view.scale - frame.height) / 2),
  };
}

export function distanceBetween(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

export function midpoint(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

function clamp(value: number, limit: number): number {
  const most = Math.max(0, limit);
  return Math.min(most, Math.max(-most, value));
}
