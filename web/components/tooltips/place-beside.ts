import type { TooltipSide } from './tooltip.ts';

type Size = { width: number; height: number };
type Box = Size & { left: number; top: number };
type Placement = { side: TooltipSide; size: Size; room: Size };

/** Distance to the element and to the edges of the window, in pixels. */
const GAP = 8;
const OPPOSITE = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' } as const;

/** Where something goes beside a box: on the given side, or on the opposite one if there is more room. */
export function placeBeside(box: Box, { side, size, room }: Placement): { left: number; top: number } {
  const space = {
    top: box.top - size.height,
    bottom: room.height - box.top - box.height - size.height,
    left: box.left - size.width,
    right: room.width - box.left - box.width - size.width,
  };
  const other = OPPOSITE[side];
  const place = positionAt(box, size, space[side] < 2 * GAP && space[other] > space[side] ? other : side);
  return {
    left: clamp(place.left, room.width - size.width - GAP),
    top: clamp(place.top, room.height - size.height - GAP),
  };
}

function positionAt({ left, top, width, height }: Box, size: Size, side: TooltipSide) {
  const centered = { left: left + (width - size.width) / 2, top: top + (height - size.height) / 2 };
  if (side === 'top') return { ...centered, top: top - size.height - GAP };
  if (side === 'bottom') return { ...centered, top: top + height + GAP };
  if (side === 'left') return { ...centered, left: left - size.width - GAP };
  return { ...centered, left: left + width + GAP };
}

function clamp(value: number, max: number): number {
  return Math.round(Math.max(GAP, Math.min(value, max)));
}
