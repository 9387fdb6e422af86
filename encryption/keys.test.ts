import assert from 'node:assert/strict';
import { createHash, hkdfSync, pbkdf2Sync } from 'node:crypto';
import test from 'node:test';
import { EncryptionParams } from '../contracts/transfers/encryption.ts';
import { UnknownFormatError, WrongKeyError } from './errors.ts';
import { createEncryption, deriveKeys, needsPassword } from './keys.ts';
import { createFileId, openSegments, sealSegments } from './segments.ts';

const decode = (text: string) => Buffer.from(text, 'base64url');

test('the keys derived from link and parameters open what the sender sealed', async () => {
  const { linkSecret, params, keys } = await createEncryption();
  assert.ok(!needsPassword(params));
  assert.deepEqual(EncryptionParams.parse(params), params);
  const derived = await deriveKeys({ linkSecret, params });
  assert.equal(derived.accessKey, keys.accessKey);
  for (const purpose of ['content', 'manifest', 'pictures'] as const) {
    const place = { fileId: createFileId(), plainBytes: 5, firstSegment: 0 };
    const sealed = await sealSegments(keys[purpose], place, new TextEncoder().encode('hello'));
    const opened = await openSegments(derived[purpose], place, sealed);
    assert.equal(new TextDecoder().decode(opened), 'hello');
  }
});

test('the values are those of RFC 5869 and RFC 8018 as Node computes them', async () => {
  const password = 'pa\u0308sswort';
  const { linkSecret, params, keys, accessKeyHash } = await createEncryption({ password });
  assert.ok(params.kdf.name === 'pbkdf2-sha-256' && needsPassword(params));
  const { iterations, salt } = params.kdf;
  const stretched = pbkdf2Sync('p\u00e4sswort', decode(salt), iterations, 32, 'sha256');
  const input = Buffer.concat([linkSecret, stretched]);
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', input, decode(params.salt), `sw1 ${purpose}`, 32));
  assert.equal(derive('commit').toString('base64url'), params.commit);
  assert.equal(derive('access').toString('base64url'), keys.accessKey);
  assert.equal(createHash('sha256').update(derive('access')).digest('base64url'), accessKeyHash);
});

test('keys cannot be exported', async () => {
  const { keys } = await createEncryption();
  for (const key of [keys.content, keys.manifest, keys.pictures]) {
    assert.equal(key.extractable, false);
    await assert.rejects(crypto.subtle.exportKey('raw', key));
  }
});

test('a wrong key, a wrong or missing password and other parameters are told apart from damage', async () => {
  const { linkSecret, params } = await createEncryption({ password: 'secret' });
  const other = linkSecret.with(0, linkSecret[0]! ^ 1);
  await assert.rejects(deriveKeys({ linkSecret: other, password: 'secret', params }), WrongKeyError);
  await assert.rejects(deriveKeys({ linkSecret, password: 'Secret', params }), WrongKeyError);
  await assert.rejects(deriveKeys({ linkSecret, params }), WrongKeyError);
  const short = linkSecret.slice(1);
  await assert.rejects(deriveKeys({ linkSecret: short, password: 'secret', params }), WrongKeyError);
  const later = { ...params, version: 'e2e-2' } as unknown as EncryptionParams;
  await assert.rejects(deriveKeys({ linkSecret, password: 'secret', params: later }), UnknownFormatError);
});

test('a server that hides that there is a password gets no key accepted', async () => {
  const { linkSecret, params } = await createEncryption({ password: 'secret' });
  const hidden: EncryptionParams = { ...params, kdf: { name: 'none' } };
  await assert.rejects(deriveKeys({ linkSecret, password: 'secret', params: hidden }), WrongKeyError);
});
