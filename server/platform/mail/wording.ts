import { type NamedTransfer, nameTransfer } from '../../../contracts/transfers/names.ts';
import type { LanguageCode } from '../../../contracts/values/language/languages.ts';
import { formatSizeWith } from '../../../contracts/values/sizes.ts';
import type { UserRow } from '../db/schema.ts';
import { translate } from '../language/catalogues.ts';
import { formatMessage, type MessageValues } from '../language/format-message.ts';

export { msg } from '../language/marker.ts';

/** Whom a mail about an account goes to. */
export type MailReader = Pick<UserRow, 'id' | 'email' | 'language'>;

/** Texts, numbers and dates in one language. The functions need no `this`. */
export type Wording = {
  language: LanguageCode;
  /**
   * Translates an English text and fills in its values (see `formatMessage`). `npm run messages` collects the texts, so
   * the argument is a literal, a choice between literals, or a constant that was marked with `msg`.
   */
  t(message: string, values?: MessageValues): string;
  formatCount(count: number): string;
  /** '1.5' */
  formatTenths(amount: number): string;
  formatSize(bytes: number): string;
  /** '$1,234.50' */
  formatCents(cents: number): string;
  formatDate(instant: number): string;
  /** Names the time zone, because the reader's is unknown. */
  formatInstant(instant: number): string;
  /** 'and 7 more'; undefined for none. */
  describeMore(count: number): string | undefined;
  describeFiles(transfer: { fileCount: number; totalBytes: number }): string;
  /** See `nameTransfer` of contracts/transfers/names.ts. */
  nameTransfer(transfer: NamedTransfer): string;
};

const WORDINGS = new Map<LanguageCode, Wording>();

/** English for accounts without a language. */
export function wordingIn(language: LanguageCode | null): Wording {
  const known = WORDINGS.get(language ?? 'en');
  if (known) return known;
  const wording = createWording(language ?? 'en');
  WORDINGS.set(wording.language, wording);
  return wording;
}

function createWording(language: LanguageCode): Wording {
  const plurals = new Intl.PluralRules(language);
  const counts = new Intl.NumberFormat(language);
  const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1, useGrouping: false });
  const dollars = new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' });
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const instants = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  const formatCount = (count: number) => counts.format(count);
  const formatTenths = (amount: number) => tenths.format(amount);
  const counting = { pluralOf: (count: number) => plurals.select(count), formatCount };
  const t: Wording['t'] = (message, values = {}) =>
    formatMessage(translate(message, language), values, counting);
  const formatBytes = (bytes: number) => formatSizeWith(formatTenths, bytes);
  return {
    language,
    t,
    formatCount,
    formatTenths,
    formatSize: formatBytes,
    formatCents: (cents) => dollars.format(cents / 100),
    formatDate: (instant) => dates.format(instant),
    formatInstant: (instant) => `${instants.format(instant)} UTC`,
    describeMore: (count) => (count > 0 ? t('and {count} more', { count }) : undefined),
    describeFiles: ({ fileCount, totalBytes }) =>
      t('{fileCount, plural, one {# file} other {# files}} ({size})', {
        fileCount,
        size: formatBytes(totalBytes),
      }),
    nameTransfer: (transfer) =>
      nameTransfer(transfer, {
        formatCount,
        untitled: t('Untitled transfer'),
        encrypted: t('Encrypted transfer'),
        files: (fileCount) =>
          t('{fileCount, plural, one {# file for you} other {# files for you}}', { fileCount }),
      }),
  };
}
