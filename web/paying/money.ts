const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const days = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** '$9.99' */
export function formatCents(cents: number): string {
  return dollars.format(cents / 100);
}

/** A plan's price (dollars) in cents. */
export function centsOf(priceDollars: number): number {
  return Math.round(priceDollars * 100);
}

/** 'August 5, 2026', in the reader's time zone. */
export function formatDay(instant: string): string {
  return days.format(new Date(instant));
}

/** 'Visa ending in 4242' */
export function formatCard({ brand, last4 }: { brand: string; last4: string }): string {
  const name = brand.charAt(0).toUpperCase() + brand.slice(1);
  return `${name} ending in ${last4}`;
}
