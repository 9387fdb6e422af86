import assert from 'node:assert/strict';
import { createDecipheriv, createECDH, createHmac } from 'node:crypto';
import test from 'node:test';
import { SealedKey } from '../contracts/transfers/encryption.ts';
import { fromHex, randomBytes, toBase64Url, toHex } from './bytes.ts';
import { WrongKeyError } from './errors.ts';
import { formatInboxKey, parseInboxKey } from './inbox-link.ts';
import { createInboxKey, type InboxKey, openLinkSecret, REQUEST_SUITE, sealLinkSecret } from './requests.ts';

const place = { invitationId: '0123456789abcdefghijklmnop', transferId: 'ponmlkjihgfedcba9876543210' };

/** Mode 0, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM of the test-vectors.json that belongs to RFC 9180. */
const RFC_9180 = {
  info: '4f6465206f6e2061204772656369616e2055726e',
  plaintext: '4265617574792069732074727574682c20747275746820626561757479',
  publicKey:
    '04abc7e49a4c6b3566d77d0304addc6ed0e98512ffccf505e6a8e3eb25c685136f853148544876de76c0f2ef99cdc3a05ccf5ded7860c7c021238f9e2073d2356c',
  ephemeralKey: '90345e3a1d116c1dd39ae76d95ab858c142223a63e44f8f85318cfa91a84858e',
  privateKey: '317f915db7bc629c48fe765587897e01e282d3e8445f79f27f65d031a88082b2',
  enc: '04c06b4f6bebc7bb495cb797ab753f911aff80aefb86fd8b6fcc35525f3ab5f03e0b21bd31a86c6048af3cb2d98e0d3bf01da5cc4c39ff5370d331a4f1f7d5a4e0',
  first: '58c61a45059d0c5704560e9d88b564a8b63f1364b8d1fcb3c4c6ddc1d291742465e902cd216f8908da49f8f96f',
  second: 'b4e7c90d1dd62cb563694956eb517ab55d5e7d1f6366a0066c04ababaa444dbaf60a30d7bb7d3e91b969762dee',
  emptyExport: '7a4c2b89e1909fb0e3ca42d5040f4c2d8346dc0643d787b8474e804f8f72798e',
};

const bytes = (text: string) => new TextEncoder().encode(text);

test('the suite opens the vectors of RFC 9180', async () => {
  const { info, enc, first, second, plaintext, emptyExport, privateKey, publicKey } = RFC_9180;
  const pair = {
    privateKey: await REQUEST_SUITE.DeserializePrivateKey(fromHex(privateKey), true),
    publicKey: await REQUEST_SUITE.DeserializePublicKey(fromHex(publicKey)),
  };
  const context = await REQUEST_SUITE.SetupRecipient(pair, fromHex(enc), { info: fromHex(info) });
  for (const [ciphertext, aad] of [
    [first, 'Count-0'],
    [second, 'Count-1'],
  ] as const)
    assert.equal(toHex(await context.Open(fromHex(ciphertext), bytes(aad))), plaintext);
  assert.equal(toHex(await context.Export(new Uint8Array(), 32)), emptyExport);
});

test('an inbox opens what was sealed to the public key of its link', async () => {
  const inbox = await createInboxKey();
  const link = `https://a.example/upload/${place.invitationId}#${formatInboxKey(inbox)}`;
  const publicKey = parseInboxKey(link)!;
  assert.equal(publicKey, inbox.publicKey);
  const linkSecret = randomBytes(32);
  const sealed = await sealLinkSecret(publicKey, place, linkSecret);
  assert.ok(SealedKey.safeParse(sealed).success);
  assert.notEqual(await sealLinkSecret(publicKey, place, linkSecret), sealed);
  assert.deepEqual(await openLinkSecret(inbox, place, sealed), linkSecret);
});

test('the sealed key is what RFC 9180 says, computed with other code', async () => {
  const rfc = openBySpecification(
    { publicKey: encode(RFC_9180.publicKey), privateKey: encode(RFC_9180.privateKey) },
    { info: Buffer.from(RFC_9180.info, 'hex'), aad: Buffer.from('Count-0') },
    Buffer.from(RFC_9180.enc + RFC_9180.first, 'hex'),
  );
  assert.equal(rfc.toString('hex'), RFC_9180.plaintext);
  const inbox = await createInboxKey();
  const linkSecret = randomBytes(32);
  const sealed = await sealLinkSecret(inbox.publicKey, place, linkSecret);
  const info = Buffer.from(`sw-request-1${place.invitationId}`);
  const opened = openBySpecification(
    inbox,
    { info, aad: Buffer.from(place.transferId) },
    Buffer.from(sealed, 'base64url'),
  );
  assert.deepEqual(new Uint8Array(opened), linkSecret);
});

test('another inbox, invitation or transfer, or one changed byte, opens nothing', async () => {
  const inbox = await createInboxKey();
  const sealed = await sealLinkSecret(inbox.publicKey, place, randomBytes(32));
  const refuse = async (key: InboxKey, at: typeof place, text: string, what: string) =>
    assert.rejects(openLinkSecret(key, at, text), WrongKeyError, what);
  await refuse(await createInboxKey(), place, sealed, 'inbox');
  await refuse(inbox, { ...place, invitationId: place.transferId }, sealed, 'invitation');
  await refuse(inbox, { ...place, transferId: place.invitationId }, sealed, 'transfer');
  await refuse(inbox, place, sealed.slice(0, -1), 'length');
  const raw = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < raw.length; at += 1) {
    const changed = Uint8Array.from(raw);
    changed[at]! ^= 1 << (at % 8);
    await refuse(inbox, place, toBase64Url(changed), `byte ${at}`);
  }
});

test('nothing is sealed to what is not a point of the curve', async () => {
  const { publicKey } = await createInboxKey();
  const point = Uint8Array.from(Buffer.from(publicKey, 'base64url'));
  point[64]! ^= 1;
  for (const wrong of [toBase64Url(point), publicKey.slice(0, -4), `A${publicKey.slice(1)}`, ''])
    await assert.rejects(sealLinkSecret(wrong, place, randomBytes(32)), WrongKeyError);
});

test('the public key is found alone, in links, and where gateways rewrote them; other keys are none', async () => {
  const inbox = await createInboxKey();
  const fragment = formatInboxKey(inbox);
  const link = `https://a.example/upload/tok#${fragment}`;
  for (const text of [
    fragment,
    `#${fragment}`,
    ` ${link}\n`,
    link.replace('#', '%23'),
    link.replace('#', '%2523'),
    encodeURIComponent(link),
  ])
    assert.equal(parseInboxKey(text), inbox.publicKey, text);
  for (const text of [
    '',
    'k1.',
    fragment.slice(0, -1),
    `${fragment}A`,
    `k2${fragment.slice(2)}`,
    `x${fragment}`,
  ])
    assert.equal(parseInboxKey(text), undefined, text);
});

function encode(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

type Context = { info: Buffer; aad: Buffer };

/** RFC 9180 §4.1, §5.1 and §5.2 for the first message, on Node's own primitives. */
function openBySpecification(
  { publicKey, privateKey }: InboxKey,
  { info, aad }: Context,
  sealed: Buffer,
): Buffer {
  const [enc, ciphertext, tag] = [sealed.subarray(0, 65), sealed.subarray(65, -16), sealed.subarray(-16)];
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey, 'base64url');
  const kem = Buffer.from('KEM\x00\x10', 'latin1');
  const suite = Buffer.from('HPKE\x00\x10\x00\x01\x00\x02', 'latin1');
  const kemContext = Buffer.concat([enc, Buffer.from(publicKey, 'base64url')]);
  const eaePrk = extract(kem, Buffer.alloc(0), 'eae_prk', ecdh.computeSecret(enc));
  const shared = expand(kem, eaePrk, 'shared_secret', kemContext, 32);
  const schedule = Buffer.concat([
    Buffer.of(0),
    extract(suite, Buffer.alloc(0), 'psk_id_hash', Buffer.alloc(0)),
    extract(suite, Buffer.alloc(0), 'info_hash', info),
  ]);
  const secret = extract(suite, shared, 'secret', Buffer.alloc(0));
  const key = expand(suite, secret, 'key', schedule, 32);
  const nonce = expand(suite, secret, 'base_nonce', schedule, 12);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(aad).setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function extract(suite: Buffer, salt: Buffer, label: string, input: Buffer): Buffer {
  return hmac(salt, Buffer.concat([Buffer.from('HPKE-v1'), suite, Buffer.from(label), input]));
}

/** At most 32 bytes, which is one block. */
function expand(suite: Buffer, key: Buffer, label: string, info: Buffer, length: number): Buffer {
  const head = Buffer.from([0, length]);
  const labeled = Buffer.concat([head, Buffer.from('HPKE-v1'), suite, Buffer.from(label), info]);
  return hmac(key, Buffer.concat([labeled, Buffer.of(1)])).subarray(0, length);
}
