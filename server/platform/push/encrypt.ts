import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** Of a browser, Base64url. */
export type PushKeys = { p256dh: string; auth: string };

/** One record; a message has less than 4 KB. */
const RECORD_SIZE = 4_096;
const TAG_BYTES = 16;
const LAST_RECORD = Buffer.from([2]);

type Randomness = { salt: Buffer; privateKey?: Buffer };

/**
 * Encrypts a message for one browser (RFC 8291, `aes128gcm` of RFC 8188). The push service can't read it. Throws if
 * `p256dh` is not a point on the curve. Only tests pass the salt and the private key.
 */
export function encryptPush(
  { p256dh, auth }: PushKeys,
  message: string,
  { salt, privateKey }: Randomness = { salt: randomBytes(16) },
): Buffer {
  const ecdh = createECDH('prime256v1');
  if (privateKey) ecdh.setPrivateKey(privateKey);
  else ecdh.generateKeys();
  const ours = ecdh.getPublicKey();
  const theirs = Buffer.from(p256dh, 'base64url');
  const secret = ecdh.computeSecret(theirs);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const keyMaterial = expand({ salt: Buffer.from(auth, 'base64url'), secret, info, bytes: 32 });
  const derive = (name: string, bytes: number) =>
    expand({ salt, secret: keyMaterial, info: Buffer.from(`Content-Encoding: ${name}\0`), bytes });
  const cipher = createCipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12), {
    authTagLength: TAG_BYTES,
  });
  const sealed = Buffer.concat([cipher.update(message, 'utf8'), cipher.update(LAST_RECORD), cipher.final()]);
  return Buffer.concat([composeHeader(salt, ours), sealed, cipher.getAuthTag()]);
}

function composeHeader(salt: Buffer, publicKey: Buffer): Buffer {
  const size = Buffer.alloc(5);
  size.writeUInt32BE(RECORD_SIZE);
  size.writeUInt8(publicKey.length, 4);
  return Buffer.concat([salt, size, publicKey]);
}

function expand({
  salt,
  secret,
  info,
  bytes,
}: {
  salt: Buffer;
  secret: Buffer;
  info: Buffer;
  bytes: number;
}): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
}
