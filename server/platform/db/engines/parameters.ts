/**
 * Booleans become 0 and 1, undefined becomes NULL. Throws TypeError for values an engine would silently
 * change (a Date, a fraction, a number beyond 2^53).
 */
export function toBindable(parameters: readonly unknown[]): (string | number | null | Uint8Array)[] {
  return parameters.map(toBindableValue);
}

function toBindableValue(value: unknown): string | number | null | Uint8Array {
  if (typeof value === 'string' || value === null || value instanceof Uint8Array) return value;
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return toBindableValue(Number(value));
  if (typeof value !== 'number') throw new TypeError('Only strings, numbers, flags and bytes can be stored.');
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a whole number below 2^53.`);
  return value;
}
