import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { DEFAULT_TIER_CONFIG, type EncryptionPolicy } from '../../../../contracts/plans/tiers.ts';
import { getTransfer } from '../../../../contracts/transfers/transfers.ts';
import { initUpload, initUploads, listUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  describeSealed,
  fileIdOf,
  makeAccess,
  makeSealed,
  makeSealedManifest,
  putSealed,
} from '../../../../testing/uploads/sealed-transfers.ts';
import { announceByTus, offsetByTus, patchByTus } from '../../../../testing/uploads/tus-calls.ts';
import { announceFile, makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { startInvitation, visitInvitation } from '../../../../testing/visitors/visit.ts';
import { countLeft, NOTHING_LEFT, sendForm } from '../../../../testing/visitors/visitor-form.ts';

const SEALED = { code: 'must_be_encrypted', status: 400 };

async function setPolicy({ context: { db, clock } }: TestServer, encryption: EncryptionPolicy) {
  const { free, pro, premium } = DEFAULT_TIER_CONFIG;
  const config = { free, pro, premium: { ...premium, encryption } };
  const row = { value: JSON.stringify(config), updatedAt: clock.now() };
  await db
    .insertInto('settings')
    .values({ id: 'policy', key: 'tier-config', ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

async function startWithDraft(t: TestContext) {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const body = { ...describeSealed(fileIdOf('first'), makeSealed(5)), encryption: makeAccess().encryption };
  const { transferId } = await prem.call(initUpload, { body });
  return { server, prem, transferId };
}

test('tus takes only sealed files into an encrypted transfer', async (t) => {
  const { prem, transferId } = await startWithDraft(t);
  const bytes = makeSealed(1_000);
  const filename = fileIdOf('by tus');
  const readable: Record<string, string>[] = [
    { filename: 'notes.txt' },
    { filename, relativePath: `secret/${filename}` },
    { filename, filetype: 'text/plain' },
    { filename, title: 'Secret plans' },
    { filename, password: 'open sesame' },
  ];
  for (const metadata of readable)
    await assert.rejects(announceByTus(prem, bytes.length, { transferId, ...metadata }), SEALED);
  await assert.rejects(announceByTus(prem, 39, { transferId, filename }), SEALED);
  const path = await announceByTus(prem, bytes.length, { transferId, filename, fileCount: '1' });
  const missing = await patchByTus(prem, path, { offset: 0, body: bytes });
  assert.equal(missing.status, 409);
  assert.equal(((await missing.json()) as { code: string }).code, 'manifest_missing');
  await putSealed(prem, { transferId, revision: 1, bytes: makeSealedManifest() });
  assert.equal(await offsetByTus(prem, path), bytes.length);
  assert.equal(
    (await prem.call(getTransfer, { params: { id: transferId } })).files[0]!.relativePath,
    filename,
  );
});

test('PUT takes only a sealed file into an encrypted transfer', async (t) => {
  const { prem, transferId } = await startWithDraft(t);
  await putSealed(prem, { transferId, revision: 1, bytes: makeSealedManifest() });
  const put = async (name: string, bytes: Buffer, query = '') => {
    const path = `/api/files/${name}?transferId=${transferId}&fileCount=1${query}`;
    const headers = { accept: 'application/json' };
    const response = await prem.fetch(path, { method: 'PUT', headers, body: new Uint8Array(bytes) });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  const name = fileIdOf('put');
  assert.deepEqual(await put('notes.txt', makeSealed(9)), [400, 'must_be_encrypted']);
  assert.deepEqual(await put(name, makeBytes(39)), [400, 'must_be_encrypted']);
  assert.deepEqual(await put(name, makeSealed(9), '&title=Plans'), [400, 'must_be_encrypted']);
  assert.deepEqual(await put(name, makeSealed(9)), [201, undefined]);
});

test('a plan that requires encryption takes no readable file, whichever way it is sent', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { token } = await startInvitation(prem);
  const vera = await visitInvitation(server, token);
  const before = await announceFile(prem, 'early.txt', makeBytes(9));
  await setPolicy(server, 'required');
  const required = { code: 'encryption_required', status: 403 };
  await assert.rejects(announceFile(prem, 'notes.txt', makeBytes(9)), required);
  await assert.rejects(announceFile(prem, 'more.txt', makeBytes(9), before.transferId), required);
  await assert.rejects(announceByTus(prem, 9, { filename: 'notes.txt' }), required);
  const put = await prem.fetch('/api/files/notes.txt', { method: 'PUT', body: 'readable' });
  assert.equal(put.status, 403);
  const query = { invitationToken: token };
  const visitors = { body: { ...query, files: [describeSealed('notes.txt', makeBytes(9))] } };
  await assert.rejects(vera.call(initUploads, visitors), { ...required, message: /Prem.* can only receive/ });
  const form = await sendForm(vera, token, { files: [{ path: 'notes.txt', bytes: makeBytes(9) }] });
  assert.equal(form.status, 403);
  const body = { ...describeSealed(fileIdOf('a'), makeSealed(9)), encryption: makeAccess().encryption };
  await prem.call(initUpload, { body });
  assert.equal((await prem.call(listUploads)).length, 2);
});

test('a plan that forbids encryption refuses it, and its visitors can send as ever', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  await setPolicy(server, 'forbidden');
  const body = { ...describeSealed(fileIdOf('a'), makeSealed(9)), encryption: makeAccess().encryption };
  await assert.rejects(prem.call(initUpload, { body }), { code: 'encryption_forbidden', status: 403 });
  assert.deepEqual(await countLeft(server), NOTHING_LEFT);
  await announceFile(prem, 'notes.txt', makeBytes(9));
  const { token } = await startInvitation(prem);
  const vera = await visitInvitation(server, token);
  const form = await sendForm(vera, token, { files: [{ path: 'notes.txt', bytes: makeBytes(9) }] });
  assert.equal(form.status, 201);
});

test('a visitor cannot encrypt, and a password of an encrypted transfer needs its plan', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { token: invitationToken } = await startInvitation(prem);
  const vera = await visitInvitation(server, invitationToken);
  const { encryption } = makeAccess();
  const file = describeSealed(fileIdOf('a'), makeSealed(9));
  const body = { invitationToken, encryption, files: [file] };
  await assert.rejects(vera.call(initUploads, { body }), { code: 'not_allowed' });
  const kdf = { name: 'pbkdf2-sha-256', iterations: 600_000, salt: encryption.salt };
  const withPassword = { body: { ...file, encryption: { ...encryption, kdf } } };
  await assert.rejects((await server.signIn('frida')).call(initUpload, withPassword), {
    code: 'tier_required',
  });
  await prem.call(initUpload, withPassword);
});
