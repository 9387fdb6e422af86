import { formatTenths } from './format.ts';

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;
export const TIB = 1024 * GIB;

const UNITS = { B: 1, KB: KIB, MB: MIB, GB: GIB, TB: TIB } as const;

/** Units of 1024, at most one decimal: '1.5 MB', '5 GB'. */
export function formatSize(bytes: number): string {
  return formatSizeWith(formatTenths, bytes);
}

/** `formatSize` in another language. `formatAmount` rounds to one decimal. */
export function formatSizeWith(formatAmount: (amount: number) => string, bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'] as const;
  // Switch to the next unit before rounding would show 1024.
  const unit = units.find((each) => toTenths(bytes / UNITS[each]) < 1024) ?? 'GB';
  return `${formatAmount(bytes / UNITS[unit])} ${unit}`;
}

function toTenths(amount: number): number {
  return Math.round(amount * 10) / 10;
}

/** '5GB' → bytes. Throws 'Invalid byte string format'. */
export function parseSize(text: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|TB)\s*$/i.exec(text);
  const bytes = match
    ? Math.round(Number(match[1]) * UNITS[match[2]!.toUpperCase() as keyof typeof UNITS])
    : NaN;
  if (!Number.isSafeInteger(bytes)) throw new Error('Invalid byte string format');
  return bytes;
}

const SIZE_UNITS = { TB: TIB, GB: GIB, MB: MIB, KB: KIB };

/** '1.5GB': the exact size in the largest unit with a short text. */
export function toSizeText(bytes: number): string {
  const texts = Object.entries(SIZE_UNITS).map(([unit, size]) => `${bytes / size}${unit}`);
  return (
    texts.find((text) => /^[1-9]\d*(\.\d{1,3})?[KMGT]B$/.test(text) && parseSize(text) === bytes) ??
    `${bytes}B`
  );
}
