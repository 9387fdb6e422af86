export type Point = { x: number; y: number };
type Size = { width: number; height: number };
/** How a picture lies in its frame: its centre's distance from the frame's, in pixels, and its enlargement. */
export type PictureView = Point & { scale: number };

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
