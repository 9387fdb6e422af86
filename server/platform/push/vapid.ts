import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { HOUR_MS, SECOND_MS } from '../../../contracts/values/durations.ts';

/** `publicKey` is the uncompressed point, Base64url, as browsers expect it; `privateKey` is a JWK. */
export type VapidKeys = { publicKey: string; privateKey: JsonWebKey };

export function generateVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = createPublicKey(privateKey).export({ format: 'jwk' });
  const point = [Buffer.from([4]), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')];
  return {
    publicKey: Buffer.concat(point).toString('base64url'),
    privateKey: privateKey.export({ format: 'jwk' }),
  };
}

/** RFC 8292 allows 24 hours. */
const VALID_MS = 12 * HOUR_MS;

/** The header `authorization` for a push service (RFC 8292). `subject` is an https or mailto URL of the operator. */
export function authorizePush(
  { publicKey, privateKey }: VapidKeys,
  { endpoint, subject, now }: { endpoint: string; subject: string; now: number },
): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor((now + VALID_MS) / SECOND_MS),
    sub: subject,
  };
  const unsigned = [{ typ: 'JWT', alg: 'ES256' }, claims].map(toBase64).join('.');
  const key = createPrivateKey({ key: privateKey, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${unsigned}.${signature.toString('base64url')}, k=${publicKey}`;
}

function toBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
