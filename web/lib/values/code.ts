export const CODE_LENGTH = 6;

/** What a person typed or pasted ("123 456") as a code: digits only, at most six. */
export function keepDigits(text: string): string {
  return text.replace(/\D/g, '').slice(0, CODE_LENGTH);
}
