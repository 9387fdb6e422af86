import type { Instant } from '../../db/schema.ts';
import { AppError } from '../../lib/app-error.ts';

/** `number`: digits only; `expiry`: MM/YY. */
export type DemoCard = { number: string; expiry: string };

const PAYING = '4242424242424242';
const DECLINED = '4000000000000002';
/** Pays while somebody is there, and is declined when the plan is renewed, as at Stripe. */
const DECLINED_LATER = '4000000000000341';

/** Returns the last four digits of a card that pays now. Throws AppError `payment_declined` with the reason. */
export function acceptCard({ number, expiry }: DemoCard, now: Instant): string {
  if (!hasCheckDigit(number)) throw declined('Your card number is not valid.');
  if (endOfExpiry(expiry) <= now) throw declined('Your card has expired.');
  if (number === DECLINED) throw declined('Your card was declined.');
  if (number !== PAYING && number !== DECLINED_LATER)
    throw declined('Your card number is not supported by the demo.');
  return number.slice(-4);
}

/** Whether the card pays without its owner: renewals, and what an upgrade costs. */
export function paysLater(last4: string | null): boolean {
  return last4 !== DECLINED_LATER.slice(-4);
}

export function declined(reason: string): AppError {
  return new AppError('payment_declined', { details: { reason } });
}

/** A card is good until its month is over. */
function endOfExpiry(expiry: string): Instant {
  const [month, year] = expiry.split('/').map((part) => Number(part.trim()));
  return Date.UTC(2000 + year!, month!, 1);
}

/** Luhn's check. */
function hasCheckDigit(number: string): boolean {
  const digits = [...number].map(Number).reverse();
  const sum = digits.reduce((total, digit, place) => {
    const counted = place % 2 === 0 ? digit : digit * 2;
    return total + (counted > 9 ? counted - 9 : counted);
  }, 0);
  return sum % 10 === 0;
}
