export const SHADES = 5;

/** An inclusive range of counts; `shade` goes from 1 (faintest) to SHADES (strongest). */
export type Level = { from: number; to: number; shade: number };

/**
 * Levels for counts up to `highest`; empty for 0. They start at round numbers on a roughly logarithmic scale, because a
 * few countries usually have most of the counts and the others should still be distinguishable.
 */
export function listLevels(highest: number): Level[] {
  const bounds = listLowerBounds(highest);
  return bounds.map((from, index) => ({
    from,
    to: (bounds[index + 1] ?? highest + 1) - 1,
    shade: SHADES - bounds.length + index + 1,
  }));
}

function listLowerBounds(highest: number): number[] {
  const bounds: number[] = [];
  const ratio = highest ** (1 / SHADES);
  for (let index = 0; index < Math.min(SHADES, highest); index += 1) {
    bounds.push(Math.max((bounds.at(-1) ?? 0) + 1, roundDown(ratio ** index)));
  }
  return bounds;
}

/** Rounds to 1, 2 or 5 times a power of ten. */
function roundDown(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return magnitude * [5, 2, 1].find((factor) => factor * magnitude <= value)!;
}

/** 0 for a count below all levels. */
export function shadeOf(count: number, levels: Level[]): number {
  return levels.findLast(({ from }) => count >= from)?.shade ?? 0;
}
