import { equalInConstantTime, keyedHash } from '../../lib/tokens.ts';

export type Secrets = { secret: string; previousSecret?: string | undefined };

/**
 * Creates `payload.expiresAt.signature`. `purpose` and `bindings` are signed but not included, so a value is
 * invalid for any other purpose or object. Values signed with `previousSecret` are accepted too.
 */
export type Signing = Secrets & { purpose: string; bindings?: string[] };

export function signValue(
  { secret, purpose, bindings = [] }: Signing,
  payload: string,
  expiresAt: number,
): string {
  const body = `${payload}.${expiresAt.toString(36)}`;
  return `${body}.${keyedHash(secret, purpose, ...bindings, body)}`;
}

/** Undefined if the value is forged, expired or for another purpose. */
export function readSignedValue(
  { secret, previousSecret, purpose, bindings = [] }: Signing,
  value: string | undefined,
  now: number,
): string | undefined {
  const [payload, expiry, signature, ...rest] = value?.split('.') ?? [];
  if (payload === undefined || !expiry || !signature || rest.length > 0) return undefined;
  const isOurs = (key: string) =>
    equalInConstantTime(signature, keyedHash(key, purpose, ...bindings, `${payload}.${expiry}`));
  if (!isOurs(secret) && !(previousSecret !== undefined && isOurs(previousSecret))) return undefined;
  return Number.parseInt(expiry, 36) > now ? payload : undefined;
}
