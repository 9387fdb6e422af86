/** A price in cents after a discount in percent, rounded to the cent, half a cent upwards. */
export function discountedCents(priceCents: number, discountPercent: number): number {
  return Math.floor((priceCents * (100 - discountPercent) + 50) / 100);
}
