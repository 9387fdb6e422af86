import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { type Bytes, utf8 } from './bytes.ts';
import { sealInParts } from './gcm-parts.ts';
import { importXaesKey, type Message, Xaes } from './xaes.ts';

/** From https://c2sp.org/XAES-256-GCM: the first with MSB(L) = 0, the second with MSB(L) = 1. */
const VECTORS = [
  { key: 0x01, additionalData: '', sealed: 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271' },
  {
    key: 0x03,
    additionalData: 'c2sp.org/XAES-256-GCM',
    sealed: '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d',
  },
];

test('the published vectors', async () => {
  for (const { key, additionalData, sealed } of VECTORS) {
    const xaes = await Xaes.create(await importXaesKey(new Uint8Array(32).fill(key)));
    const message = { nonce: utf8('ABCDEFGHIJKLMNOPQRSTUVWX'), additionalData: utf8(additionalData) };
    const plain = utf8('XAES-256-GCM');
    assert.equal(Buffer.from(await seal(xaes, message, plain)).toString('hex'), sealed);
    assert.deepEqual(await xaes.open(message, new Uint8Array(Buffer.from(sealed, 'hex'))), plain);
  }
});

test('the published hash of 10,000 random messages', async () => {
  const hash = await accumulate(10_000);
  assert.equal(hash, 'e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939');
});

/** As segments are sealed. */
async function seal(xaes: Xaes, { nonce, additionalData }: Message, plain: Bytes): Promise<Bytes> {
  const sealed = new Uint8Array(plain.length + 16);
  await sealInParts(await xaes.deriveKey(nonce), { iv: nonce.subarray(12), additionalData }, plain, sealed);
  return sealed;
}

/** Keys, nonces, plaintexts and additional data come from SHAKE-128 of nothing, the ciphertexts are hashed by it. */
async function accumulate(count: number): Promise<string> {
  const bytes = createHash('shake128', { outputLength: count * (32 + 24 + 2 * 256) }).digest();
  let at = 0;
  const take = (length: number) => {
    at += length;
    return new Uint8Array(bytes.subarray(at - length, at));
  };
  const takeText = () => take(take(1)[0]!);
  const sealed = createHash('shake128', { outputLength: 32 });
  for (let index = 0; index < count; index += 1) {
    const xaes = await Xaes.create(await importXaesKey(take(32)));
    const message = { nonce: take(24), additionalData: new Uint8Array() };
    const plain = takeText();
    message.additionalData = takeText();
    const ciphertext = await seal(xaes, message, plain);
    sealed.update(ciphertext);
    if (index % 10 === 0) assert.deepEqual(await xaes.open(message, ciphertext), plain);
  }
  return sealed.digest('hex');
}
