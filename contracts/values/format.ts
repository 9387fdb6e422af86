let language = 'en';
let formats = createFormats();

/** The language of numbers, for pages. The server's own texts are English. */
export function setFormatLanguage(tag: string): void {
  language = tag;
  formats = createFormats();
}

function createFormats() {
  return {
    counts: new Intl.NumberFormat(language),
    shortCounts: new Intl.NumberFormat(language, { notation: 'compact' }),
    tenths: new Intl.NumberFormat(language, { maximumFractionDigits: 1, useGrouping: false }),
    dollars: new Intl.NumberFormat(language === 'en' ? 'en-US' : language, {
      style: 'currency',
      currency: 'USD',
    }),
  };
}

/** '1,200' */
export function formatCount(count: number): string {
  return formats.counts.format(count);
}

/** '1.2K' */
export function formatShortCount(count: number): string {
  return formats.shortCounts.format(count);
}

/** '1.5': at most one decimal, without grouping. */
export function formatTenths(amount: number): string {
  return formats.tenths.format(amount);
}

/** '1 file', '1,200 files'. Only for nouns with a plural in -s, in English texts. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** '$1,234.50' */
export function formatCents(cents: number): string {
  return formats.dollars.format(cents / 100);
}
