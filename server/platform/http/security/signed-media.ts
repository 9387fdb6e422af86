import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BytesHead } from '../bytes/send-bytes.ts';
import { readSignedValue, signValue } from './signed-value.ts';

/** Signatures within this time are equal, so that browsers can cache the URLs. */
const ROUND_MS = 30 * MINUTE_MS;
const MIN_LIFETIME_MS = HOUR_MS;

type Signer = { clock: Clock; secret: string; purpose: string };

/** Valid for 60 to 90 minutes. */
export function signMediaKey({ clock, secret, purpose }: Signer, storageKey: string): string {
  const expiresAt = Math.ceil(clock.now() / ROUND_MS) * ROUND_MS + MIN_LIFETIME_MS;
  return signValue({ secret, purpose }, storageKey, expiresAt);
}

/** Undefined when the signature is forged or expired. */
export function readMediaKey({ clock, secret, purpose }: Signer, signature: string): string | undefined {
  return readSignedValue({ secret, purpose }, signature, clock.now());
}

/** Cacheable, because the bytes never change. */
export function signedMediaHead(media: Pick<BytesHead, 'etag' | 'contentType' | 'fileName'>): BytesHead {
  return {
    ...media,
    lastModifiedAt: 0,
    disposition: 'inline',
    cacheControl: `private, max-age=${MIN_LIFETIME_MS / SECOND_MS}`,
  };
}
