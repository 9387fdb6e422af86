/** Specification section 9. */
export const CODE_LENGTH = 6;

/** What a person typed or pasted ("123 456") as a code: digits only, at most six. */
export function keepDigits(text: string): string {
  return text.replace(/\D/g, '').slice(0, CODE_LENGTH);
}

/** Seconds as a clock shows them: '0:42', '12:05'. */
export function formatCountdown(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
