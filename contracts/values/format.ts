const counts = new Intl.NumberFormat('en');
const shortCounts = new Intl.NumberFormat('en', { notation: 'compact' });
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** '1,200' */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** '1.2K' */
export function formatShortCount(count: number): string {
  return shortCounts.format(count);
}

/** '1 file', '1,200 files'. Only for nouns with a plural in -s. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** '$1,234.50' */
export function formatCents(cents: number): string {
  return dollars.format(cents / 100);
}
