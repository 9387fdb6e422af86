const TIME = '\\d{2}:\\d{2}:\\d{2}';
const IMF_FIXDATE = new RegExp(`^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(`^[A-Z][a-z]+day, \\d{2}-[A-Z][a-z]{2}-\\d{2} ${TIME} GMT$`);
const ASCTIME = new RegExp(`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d ${TIME} \\d{4}$`);

/** Whole seconds (RFC 9110, section 5.6.7). */
export function formatHttpDate(instant: number): string {
  return new Date(instant).toUTCString();
}

/** Accepts all three forms of RFC 9110; returns epoch milliseconds. */
export function parseHttpDate(text: string | undefined): number | undefined {
  const date = text?.trim() ?? '';
  if (!IMF_FIXDATE.test(date) && !RFC_850.test(date) && !ASCTIME.test(date)) return undefined;
  const instant = Date.parse(ASCTIME.test(date) ? `${date} GMT` : date);
  return Number.isNaN(instant) ? undefined : instant;
}
