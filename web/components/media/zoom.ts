import { useCallback, useLayoutEffect, useRef, useState } from 'react';

/** What a press of + enlarges by. */
const STEP = 1.5;
/** What a double tap enlarges to. */
const CLOSE_LOOK = 2.5;

export type Zoom = ReturnType<typeof useZoom>;

/**
 * Enlarging the picture that shows; `shownId` names it, another one begins fitted. The view is told to style
 * sheets by custom properties on `surface`, so that a finger's movement draws nothing anew.
 */
export function useZoom(shownId: string) {
  const surface = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const view = useRef(FITTED);
  const [scale, setScale] = useState(1);

  const show = useCallback((wanted: PictureView) => {
    view.current = keepInside(wanted, sizeOf(picture.current), sizeOf(frame.current));
    surface.current?.style.setProperty('--pan-x', `${view.current.x}px`);
    surface.current?.style.setProperty('--pan-y', `${view.current.y}px`);
    surface.current?.style.setProperty('--zoom', String(view.current.scale));
    setScale(view.current.scale);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another picture is what it is for.
  useLayoutEffect(() => show(FITTED), [show, shownId]);
  useLayoutEffect(() => {
    const keepInWindow = () => show(view.current);
    window.addEventListener('resize', keepInWindow);
    return () => window.removeEventListener('resize', keepInWindow);
  }, [show]);

  /** From places in the window to the frame's own. */
  const fromCentre = (point: Point): Point => {
    const box = frame.current?.getBoundingClientRect();
    return box ? { x: point.x - box.x - box.width / 2, y: point.y - box.y - box.height / 2 } : FITTED;
  };
  const zoomTo = (wanted: number, at?: Point) =>
    show(zoomAround(view.current, wanted, at ? fromCentre(at) : FITTED));

  return {
    surface,
    frame,
    picture,
    scale,
    enlarge: () => zoomTo(view.current.scale * STEP),
    reduce: () => zoomTo(view.current.scale / STEP),
    fit: () => show(FITTED),
    /** A closer look at this point of the window, or the whole picture again. */
    toggle: (at: Point) => zoomTo(view.current.scale > 1 ? 1 : CLOSE_LOOK, at),
    isEnlarged: () => view.current.scale > 1,
    scaleBy: (factor: number, at: Point) => zoomTo(view.current.scale * factor, at),
    moveBy: (x: number, y: number) => show({ ...view.current, x: view.current.x + x, y: view.current.y + y }),
  };
}

/** As laid out, whatever it is enlarged by. */
function sizeOf(element: HTMLElement | null) {
  return { width: element?.offsetWidth ?? 0, height: element?.offsetHeight ?? 0 };
}

export type Point = { x: number; y: number };
type Size = { width: number; height: number };
/** How a picture lies in its frame: its centre's distance from the frame's, in pixels, and its enlargement. */
type PictureView = Point & { scale: number };

/** The whole picture, in the middle. */
export const FITTED: PictureView = { x: 0, y: 0, scale: 1 };
export const LARGEST_SCALE = 6;

/** Enlarges to `scale` so that what lies under the point stays under it. The point counts from the frame's centre. */
export function zoomAround(view: PictureView, scale: number, point: Point): PictureView {
  const next = Math.min(LARGEST_SCALE, Math.max(1, scale));
  const growth = next / view.scale;
  return {
    scale: next,
    x: point.x + (view.x - point.x) * growth,
    y: point.y + (view.y - point.y) * growth,
  };
}

/** Moves back what was moved too far: an edge comes no further in than the frame's, a smaller side is centred. */
export function keepInside(view: PictureView, fitted: Size, frame: Size): PictureView {
  return {
    scale: view.scale,
    x: within(view.x, (fitted.width * view.scale - frame.width) / 2),
    y: within(view.y, (fitted.height * view.scale - frame.height) / 2),
  };
}

export function distanceBetween(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

export function middleOf(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

function within(value: number, reach: number): number {
  const most = Math.max(0, reach);
  return Math.min(most, Math.max(-most, value));
}
