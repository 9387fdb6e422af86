import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BytesHead } from '../bytes/send-bytes.ts';
import { readSignedValue, signValue } from './signed-value.ts';

/** Signatures made within this time are equal, so that browsers can cache the URLs they are part of. */
const ROUND_MS = 30 * MINUTE_MS;
const MIN_LIFETIME_MS = HOUR_MS;

type Signer = { clock: Clock; secret: string; purpose: string };

/** Signs the key of stored media for its URL: valid for at least an hour and at most an hour and a half. */
export function signMediaKey({ clock, secret, purpose }: Signer, storageKey: string): string {
  const expiresAt = Math.ceil(clock.now() / ROUND_MS) * ROUND_MS + MIN_LIFETIME_MS;
  return signValue({ secret, purpose }, storageKey, expiresAt);
}

/** The signed storage key; undefined when the signature is forged or expired. */
export function readMediaKey({ clock, secret, purpose }: Signer, signature: string): string | undefined {
  return readSignedValue({ secret, purpose }, signature, clock.now());
}

/** Response headers of media behind a signed URL, whose bytes never change. */
export function signedMediaHead(media: Pick<BytesHead, 'etag' | 'contentType' | 'fileName'>): BytesHead {
  return {
    ...media,
    lastModifiedAt: 0,
    disposition: 'inline',
    cacheControl: `private, max-age=${MIN_LIFETIME_MS / SECOND_MS}`,
  };
}
