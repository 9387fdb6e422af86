import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke';
import { InboxPublicKey, SealedKey } from '../contracts/transfers/encryption.ts';
import { type Bytes, concatBytes, fromBase64Url, toBase64Url, utf8 } from './bytes.ts';
import { WrongKeyError } from './errors.ts';

/** HPKE (RFC 9180) in base mode. */
export const REQUEST_SUITE = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

const CURVE = { name: 'ECDH', namedCurve: 'P-256' };
const POINT_BYTES = 65;

/** Both in base64url: an uncompressed point, and the private scalar of 32 bytes. */
export type InboxKey = { publicKey: string; privateKey: string };

/** Names the transfer whose key is sealed, so that it opens nothing else. */
export type RequestPlace = { invitationId: string; transferId: string };

/** The private key must not leave the owner's browsers; visitors get the public key in the invitation's link. */
export async function createInboxKey(): Promise<InboxKey> {
  const { privateKey } = await crypto.subtle.generateKey(CURVE, true, ['deriveBits']);
  const { x = '', y = '', d = '' } = await crypto.subtle.exportKey('jwk', privateKey);
  const point = concatBytes(Uint8Array.of(4), fromBase64Url(x), fromBase64Url(y));
  return { publicKey: toBase64Url(point), privateKey: d };
}

/** Only the owner of the inbox can open the result. Throws WrongKeyError if the public key is no point of the curve. */
export async function sealLinkSecret(
  publicKey: string,
  place: RequestPlace,
  linkSecret: Bytes,
): Promise<string> {
  const known = InboxPublicKey.safeParse(publicKey);
  if (!known.success) throw new WrongKeyError('This is not a public key.');
  const key = await REQUEST_SUITE.DeserializePublicKey(fromBase64Url(known.data)).catch((cause) => {
    throw new WrongKeyError('This is not a public key.', { cause });
  });
  const { encapsulatedSecret, ciphertext } = await REQUEST_SUITE.Seal(key, linkSecret, contextOf(place));
  return toBase64Url(concatBytes(encapsulatedSecret, ciphertext));
}

/** Throws WrongKeyError if it was sealed for another inbox, invitation or transfer, or was changed. */
export async function openLinkSecret(key: InboxKey, place: RequestPlace, sealedKey: string): Promise<Bytes> {
  const known = SealedKey.safeParse(sealedKey);
  if (!known.success) throw new WrongKeyError('This is not a sealed key.');
  const sealed = fromBase64Url(known.data);
  try {
    const pair = await importInboxKey(key);
    const [point, ciphertext] = [sealed.slice(0, POINT_BYTES), sealed.slice(POINT_BYTES)];
    return concatBytes(await REQUEST_SUITE.Open(pair, point, ciphertext, contextOf(place)));
  } catch (cause) {
    throw new WrongKeyError('The key of this inbox does not open this.', { cause });
  }
}

function contextOf({ invitationId, transferId }: RequestPlace) {
  return { info: utf8(`sw-request-1${invitationId}`), aad: utf8(transferId) };
}

/** As JWK: Firefox refuses PKCS #8 without the public key, which is what bare scalars become. */
async function importInboxKey({ publicKey, privateKey: d }: InboxKey) {
  const point = fromBase64Url(publicKey);
  const [x, y] = [toBase64Url(point.slice(1, 33)), toBase64Url(point.slice(33))];
  const jwk = { kty: 'EC', crv: CURVE.namedCurve, x, y };
  const [publicPart, privatePart] = await Promise.all([
    crypto.subtle.importKey('jwk', jwk, CURVE, true, []),
    crypto.subtle.importKey('jwk', { ...jwk, d }, CURVE, false, ['deriveBits']),
  ]);
  return { publicKey: publicPart, privateKey: privatePart };
}
