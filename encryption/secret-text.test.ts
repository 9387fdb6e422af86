import assert from 'node:assert/strict';
import test from 'node:test';
import { SECRET_TEXT_MAX } from '../contracts/plans/limits.ts';
import { UnknownFormatError } from './errors.ts';
import { openManifest } from './manifest.ts';
import { findSecretText, isSecretText, readSecretText, sealSecretText } from './secret-text.ts';
import { openSegments } from './segments.ts';

async function open({ keys, sealed, sealedManifest }: Awaited<ReturnType<typeof sealSecretText>>) {
  const manifest = await openManifest(keys.manifest, sealedManifest, 1);
  const { fileId, size } = findSecretText(manifest)!;
  const plain = await openSegments(keys.content, { fileId, plainBytes: size, firstSegment: 0 }, sealed);
  return { manifest, text: readSecretText(plain) };
}

test('a text is opened as it was sealed', async () => {
  for (const text of [
    'x',
    ' spaces stay \n',
    '\ufeffPassword: 🦊 “é”\r\n\tend',
    '💧'.repeat(SECRET_TEXT_MAX / 2),
  ])
    assert.equal((await open(await sealSecretText({ text }))).text, text);
  const { manifest } = await open(await sealSecretText({ text: 'x', title: 'Wi-Fi', password: 'sesame' }));
  assert.deepEqual([manifest.title, manifest.files.length], ['Wi-Fi', 1]);
});

test('the size of a short text says nothing about its length', async () => {
  const sizes = ['a', 'a'.repeat(100), 'é'.repeat(2_000)].map(
    async (text) => (await sealSecretText({ text })).sealed.length,
  );
  assert.equal(new Set(await Promise.all(sizes)).size, 1);
});

test('texts that cannot be sent are refused', async () => {
  for (const text of ['', ' \n', 'a\0b', '\ud800', 'a'.repeat(SECRET_TEXT_MAX + 1)]) {
    assert.equal(isSecretText(text), false);
    await assert.rejects(sealSecretText({ text }), RangeError);
  }
});

test('bytes that are no text are refused, and a list of files is none', async () => {
  assert.throws(() => readSecretText(Uint8Array.of(0xff)), UnknownFormatError);
  const { manifest } = await open(await sealSecretText({ text: 'x' }));
  const [file] = manifest.files;
  assert.equal(
    findSecretText({ ...manifest, files: [file!, { ...file!, fileId: 'a'.repeat(32) }] }),
    undefined,
  );
  assert.equal(findSecretText({ version: 1, title: null, message: null, files: [file!] }), undefined);
  // Clients read a text into memory.
  assert.equal(findSecretText({ ...manifest, files: [{ ...file!, size: 2 ** 30 }] }), undefined);
});
