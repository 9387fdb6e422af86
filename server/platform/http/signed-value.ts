import { equalInConstantTime, keyedHash } from '../lib/tokens.ts';

/**
 * A short statement that only this installation can have made: `payload.expiresAt.signature`. `purpose` and
 * `bindings` are signed but not carried, so a value made for one purpose or object is void for any other.
 */
export type Signing = { secret: string; purpose: string; bindings?: string[] };

export function signValue(
  { secret, purpose, bindings = [] }: Signing,
  payload: string,
  expiresAt: number,
): string {
  const body = `${payload}.${expiresAt.toString(36)}`;
  return `${body}.${keyedHash(secret, purpose, ...bindings, body)}`;
}

/** The payload, or undefined when it is forged, stale or made for something else. */
export function readSignedValue(
  { secret, purpose, bindings = [] }: Signing,
  value: string | undefined,
  now: number,
): string | undefined {
  const [payload, expiry, signature, ...rest] = value?.split('.') ?? [];
  if (payload === undefined || !expiry || !signature || rest.length > 0) return undefined;
  if (!equalInConstantTime(signature, keyedHash(secret, purpose, ...bindings, `${payload}.${expiry}`)))
    return undefined;
  return Number.parseInt(expiry, 36) > now ? payload : undefined;
}
