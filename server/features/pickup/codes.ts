import { createHmac } from 'node:crypto';
import { PICKUP_ALPHABET, PICKUP_LENGTH } from '../../../contracts/transfers/downloads/pickup.ts';
import type { Secrets } from '../../platform/http/security/signed-value.ts';
import { keyedHash } from '../../platform/lib/tokens.ts';

/**
 * Derives the code from a nonce, so that the owner can see it again although the database stores only its keyed hash,
 * which is useless without SESSION_SECRET. The bias of the modulo is below 2^-37.
 */
export function deriveCode(secret: string, transferId: string, nonce: string): string {
  const bytes = createHmac('sha256', secret).update(`pickup-code\n${transferId}\n${nonce}`).digest();
  const base = BigInt(PICKUP_ALPHABET.length);
  let rest = bytes.readBigUInt64BE(0);
  let code = '';
  for (let index = 0; index < PICKUP_LENGTH; index += 1) {
    code += PICKUP_ALPHABET[Number(rest % base)];
    rest /= base;
  }
  return code;
}

export function hashCode(secret: string, code: string): string {
  return keyedHash(secret, 'pickup-code', code);
}

/** The hashes with the current and the previous secret: codes stay valid when SESSION_SECRET is replaced. */
export function hashesOf({ secret, previousSecret }: Secrets, code: string): string[] {
  return [secret, ...(previousSecret === undefined ? [] : [previousSecret])].map((each) =>
    hashCode(each, code),
  );
}

/** Undefined if SESSION_SECRET has changed and the previous one isn't configured. */
export function readCode(
  { secret, previousSecret }: Secrets,
  { transferId, nonce, codeHash }: { transferId: string; nonce: string; codeHash: string },
): string | undefined {
  for (const each of [secret, previousSecret]) {
    if (each === undefined) continue;
    const code = deriveCode(each, transferId, nonce);
    if (hashCode(each, code) === codeHash) return code;
  }
  return undefined;
}
