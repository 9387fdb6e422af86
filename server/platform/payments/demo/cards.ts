import type { Instant } from '../../db/schema/column-types.ts';
import { AppError } from '../../lib/app-error.ts';

/** `number`: digits only; `expiry`: MM/YY. */
export type DemoCard = { number: string; expiry: string };

const ACCEPTED = '4242424242424242';
const DECLINED = '4000000000000002';
/** Accepted when it is entered, declined at renewals and upgrades. */
const DECLINED_LATER = '4000000000000341';

/** Returns the last four digits. Throws AppError `payment_declined` with the reason. */
export function acceptCard({ number, expiry }: DemoCard, now: Instant): string {
  if (!hasCheckDigit(number)) throw declined('Your card number is not valid.');
  if (endOfExpiry(expiry) <= now) throw declined('Your card has expired.');
  if (number === DECLINED) throw declined('Your card was declined.');
  if (number !== ACCEPTED && number !== DECLINED_LATER)
    throw declined('Your card number is not supported by the demo.');
  return number.slice(-4);
}

/** At renewals and upgrades, without the owner. */
export function canChargeLater(cardLast4: string | null): boolean {
  return cardLast4 !== DECLINED_LATER.slice(-4);
}

export function declined(reason: string): AppError {
  return new AppError('payment_declined', { details: { reason } });
}

/** Cards are valid until the end of the month. */
function endOfExpiry(expiry: string): Instant {
  const [month, year] = expiry.split('/').map((part) => Number(part.trim()));
  return Date.UTC(2000 + year!, month!, 1);
}

function hasCheckDigit(number: string): boolean {
  const digits = [...number].map(Number).reverse();
  const sum = digits.reduce((total, digit, place) => {
    const counted = place % 2 === 0 ? digit : digit * 2;
    return total + (counted > 9 ? counted - 9 : counted);
  }, 0);
  return sum % 10 === 0;
}
