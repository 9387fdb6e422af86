import { LANDS, SPOTS } from './world-geometry.ts';

/** A country on the map; those too small for an outline are dots. */
export type Land = { code: string; x: number; y: number; outline?: string };

export const WORLD: ReadonlyMap<string, Land> = new Map(
  [...readLands(), ...readSpots()].map((land) => [land.code, land]),
);

function readLands(): Land[] {
  return [...LANDS.matchAll(/^(\w\w) (\d+) (\d+) (.+)$/gm)].map(([, code, x, y, outline]) => ({
    code: code!,
    x: Number(x),
    y: Number(y),
    outline: outline!,
  }));
}

function readSpots(): Land[] {
  return [...SPOTS.matchAll(/(\w\w) (\d+) (\d+)/g)].map(([, code, x, y]) => ({
    code: code!,
    x: Number(x),
    y: Number(y),
  }));
}
