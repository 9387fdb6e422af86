import { base64url, CompactEncrypt, exportSPKI, importJWK, SignJWT } from 'jose';
import {
  CLIENT_ID,
  KEY_ID,
  nowInSeconds,
  publicJwk,
  type Tampering,
} from '../../../../../testing/identity/hostile-provider.ts';
import { begin } from '../../../../../testing/identity/sso.ts';
import { type Case, claims, walk } from './case.ts';

const token = (make: Tampering['token']): Case => ({ tampering: { token: make! } });

/** ID tokens that prove nothing. */
export const TOKENS: Record<string, Case> = {
  'issuer of somebody else': claims({ iss: 'https://evil.example' }),
  'no issuer': claims({ iss: undefined }),
  'issuer with a slash at the end': {
    tampering: { claims: (right) => ({ ...right, iss: `${right.iss}/` }) },
  },
  'audience of another client': claims({ aud: 'another-client' }),
  'audiences without us': claims({ aud: ['another-client', 'a-third'] }),
  'no audience': claims({ aud: undefined }),
  'audience as a number': claims({ aud: 7 }),
  'two audiences and the other as party': claims({
    aud: [CLIENT_ID, 'another-client'],
    azp: 'another-client',
  }),
  'two audiences and no party': claims({ aud: [CLIENT_ID, 'another-client'] }),
  'our audience and another party': claims({ azp: 'another-client' }),
  'wrong nonce': claims({ nonce: 'another' }),
  'no nonce': claims({ nonce: undefined }),
  'empty nonce': claims({ nonce: '' }),
  expired: claims({ exp: nowInSeconds() - 3_600 }),
  'no expiry': claims({ exp: undefined }),
  'expiry as text': claims({ exp: '9999999999' }),
  'issued in an hour': claims({ iat: nowInSeconds() + 3_600 }),
  'no time of issue': claims({ iat: undefined }),
  'not valid before an hour from now': claims({ nbf: nowInSeconds() + 3_600 }),
  'no subject': claims({ sub: undefined }),
  'empty subject': claims({ sub: '' }),
  'subject of 256 characters': claims({ sub: 'x'.repeat(256) }),
  'subject as a number': claims({ sub: 12 }),
  'subject as a list': claims({ sub: ['nora-1'] }),
  'subject that no database can store': claims({ sub: 'nora\0' }),
  'algorithm none': token(async (right) => `${encode({ alg: 'none' })}.${encode(right)}.`),
  'algorithm none with the old signature': token(async (right, provider) => {
    const [, , signature] = (await provider.sign(right)).split('.');
    return `${encode({ alg: 'none', kid: KEY_ID })}.${encode(right)}.${signature}`;
  }),
  'HS256 with the public key as the secret': token(async (right, provider) =>
    new SignJWT(right)
      .setProtectedHeader({ alg: 'HS256', kid: KEY_ID })
      .sign(new TextEncoder().encode(await exportSPKI(provider.keys.publicKey))),
  ),
  'HS256 with the client secret': token((right) =>
    new SignJWT(right)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode('a secret of the client')),
  ),
  'an algorithm that was not announced': token(async (right, provider) => {
    const jwk = await publicJwk(provider.keys);
    const { privateKey } = provider.keys;
    const raw = await crypto.subtle.exportKey('jwk', privateKey);
    const key = await importJWK({ ...raw, alg: 'PS256', kid: jwk.kid! } as never, 'PS256');
    return new SignJWT(right).setProtectedHeader({ alg: 'PS256', kid: KEY_ID }).sign(key);
  }),
  'unknown key ID': { tampering: { header: { kid: 'another-key' } } },
  'key of another issuer': token((right, provider) => provider.sign(right, {}, provider.otherKeys)),
  'key in the header': token(async (right, provider) =>
    new SignJWT(right)
      .setProtectedHeader({ alg: 'RS256', jwk: await publicJwk(provider.otherKeys) })
      .sign(provider.otherKeys.privateKey),
  ),
  'damaged signature': token(async (right, provider) => {
    const [header, payload, signature = ''] = (await provider.sign(right)).split('.');
    const bytes = base64url.decode(signature);
    bytes[0]! ^= 1;
    return `${header}.${payload}.${base64url.encode(bytes)}`;
  }),
  'no signature': token(async (right, provider) => (await provider.sign(right)).replace(/[^.]+$/, '')),
  'claims changed after signing': token(async (right, provider) => {
    const [header, , signature] = (await provider.sign(right)).split('.');
    return `${header}.${encode({ ...right, sub: 'somebody else' })}.${signature}`;
  }),
  'a critical header that nobody knows': token((right, provider) =>
    provider.sign(right, { crit: ['b64'], b64: true } as never),
  ),
  'encrypted token': token(async (right) =>
    new CompactEncrypt(new TextEncoder().encode(JSON.stringify(right)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(new Uint8Array(32)),
  ),
  'no token at all': token(async () => undefined),
  'text instead of a token': token(async () => 'nonsense'),
  'token of another client of the same provider': token((right, provider) =>
    provider.sign({ ...right, aud: 'another-client', azp: 'another-client' }),
  ),
  'nonce of an earlier sign-in': {
    act: async (world) => {
      const earlier = new URL(await begin(world.client, world.providerId)).searchParams.get('nonce');
      world.provider.tampering = { claims: (right) => ({ ...right, nonce: earlier }) };
      return walk(world, { client: world.server.anonymous() });
    },
  },
};

function encode(value: unknown): string {
  return base64url.encode(JSON.stringify(value));
}
