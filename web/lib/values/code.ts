export const CODE_LENGTH = 6;

/** Up to six digits of a typed or pasted text ("123 456"). */
export function keepDigits(text: string): string {
  return text.replace(/\D/g, '').slice(0, CODE_LENGTH);
}
