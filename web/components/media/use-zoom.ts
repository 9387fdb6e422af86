import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { FITTED, keepInside, type PictureView, type Point, zoomAround } from './pan-zoom.ts';

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
