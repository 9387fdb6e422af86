import { t } from '@lingui/core/macro';
/** '4242 4242 4242 4242' */
export function groupCardNumber(typed: string): string {
  const digits = typed.replace(/\D/g, '').slice(0, 19);
  return digits.replace(/(\d{4})(?=\d)/g, '$1 ');
}

/** Formats what was typed or autofilled as 'MM/YY'. A first digit above 1 is a whole month. */
export function shapeExpiry(typed: string): string {
  const digits = typed.replace(/\D/g, '');
  const padded = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  const month = padded.slice(0, 2);
  const year = padded
    .slice(2)
    .replace(/^20(?=\d\d$)/, '')
    .slice(0, 2);
  const isMonthDone = year !== '' || (month.length === 2 && typed.endsWith('/'));
  return isMonthDone ? `${month}/${year}` : month;
}

/** The error, or undefined. Verifies the check digit (ISO/IEC 7812). */
export function checkCardNumber(number: string): string | undefined {
  const digits = number.replace(/\D/g, '');
  if (digits === '') return t`Please enter the card number`;
  const isWhole = digits.length >= 13 && hasRightCheckDigit(digits);
  return isWhole ? undefined : t`This card number is incorrect. Please check it.`;
}

/** The error, or undefined. A card is valid to the end of its month; `now` in epoch milliseconds. */
export function checkExpiry(expiry: string, now: number): string | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2])\/(\d{2})$/.exec(expiry) ?? [];
  if (!month || !year) return t`Please enter month and year, such as 12/30`;
  const isOver = new Date(2000 + Number(year), Number(month), 1).getTime() <= now;
  return isOver ? t`This card has expired.` : undefined;
}

export function checkCvc(cvc: string): string | undefined {
  return /^\d{3,4}$/.test(cvc) ? undefined : t`Please enter the three or four digits`;
}

function hasRightCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
