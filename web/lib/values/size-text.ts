import { GIB, KIB, MIB, parseSize, TIB } from '../../../contracts/values/sizes.ts';

const SIZE_UNITS = { TB: TIB, GB: GIB, MB: MIB, KB: KIB };

/** '1.5GB': exactly these bytes, in the largest unit that says so briefly. */
export function toSizeText(bytes: number): string {
  const texts = Object.entries(SIZE_UNITS).map(([unit, size]) => `${bytes / size}${unit}`);
  return (
    texts.find((text) => /^[1-9]\d*(\.\d{1,3})?[KMGT]B$/.test(text) && parseSize(text) === bytes) ??
    `${bytes}B`
  );
}
