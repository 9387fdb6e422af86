import assert from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { createEncryption } from '../../encryption/keys.ts';
import { formatKey } from '../../encryption/link.ts';
import { keepDatabasesInMemory } from '../testing/memory-database.ts';
import { importKeyFile, KeyFileError, KeyFilePasswordError, writeKeyFile } from './key-file.ts';
import { deleteKey, findKey, type KeptKey, keepKey, listKeys, reduceKeys } from './key-ring.ts';

beforeEach(keepDatabasesInMemory);

async function makeKey(transferId: string, part: Partial<KeptKey> = {}): Promise<KeptKey> {
  const { linkSecret, params, keys } = await createEncryption();
  const key = formatKey(linkSecret);
  return {
    transferId,
    owner: 'vera',
    key,
    params,
    keys,
    isDraft: false,
    title: 'Harbor',
    savedAt: 1,
    ...part,
  };
}

test('a file brings the keys to another browser, without names and drafts', async () => {
  const kept = await makeKey('t1');
  const file = await writeKeyFile([kept, await makeKey('draft', { isDraft: true })], [], '');
  assert.doesNotMatch(await file.text(), /Harbor|draft/);
  assert.equal(await importKeyFile(file, '', 'rex'), 1);
  assert.equal(await importKeyFile(file, '', 'rex'), 0);
  const [imported, ...others] = await listKeys('rex');
  assert.deepEqual([imported?.key, imported?.params, others.length], [kept.key, kept.params, 0]);
  assert.deepEqual(await listKeys('vera'), []);
});

test('a password protects the file', async () => {
  const kept = await makeKey('t1');
  const file = await writeKeyFile([kept], [], 'sesame');
  assert.equal((await file.text()).includes(kept.key), false);
  for (const password of ['', 'wrong'])
    await assert.rejects(importKeyFile(file, password, 'vera'), KeyFilePasswordError);
  assert.equal(await importKeyFile(file, 'sesame', 'vera'), 1);
});

test('other files are refused', async () => {
  for (const content of ['', '{}', '[]', '{"format":"sendwell-keys","version":2,"keys":[]}'])
    await assert.rejects(importKeyFile(new Blob([content]), '', 'vera'), KeyFileError);
});

test('signing out leaves the key and nothing that names the transfer', async () => {
  const kept = await makeKey('t1', { firstFileName: 'harbor.jpg', draftToken: 'token' });
  await keepKey(kept);
  await reduceKeys();
  const { key, ...rest } = (await findKey('t1'))!;
  assert.equal(key, kept.key);
  assert.deepEqual(Object.keys(rest).sort(), ['isDraft', 'owner', 'params', 'savedAt', 'transferId']);
  await deleteKey('t1');
  assert.equal(await findKey('t1'), undefined);
});
