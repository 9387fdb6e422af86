import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Problem } from '../../../contracts/errors.ts';
import { getTransfer, updateTransfer } from '../../../contracts/transfers/transfers.ts';
import { completeUploads } from '../../../contracts/transfers/uploads/uploads.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { announceByTus, encodeMetadata, tusCall } from '../../../testing/uploads/tus-calls.ts';
import { announceFile, completeFile, uploadFile } from '../../../testing/uploads/upload-files.ts';
import { startInvitation, visitInvitation } from '../../../testing/visitors/visit.ts';
import { formPath, sendForm } from '../../../testing/visitors/visitor-form.ts';

const NOTHING = Buffer.alloc(0);
const SAME = { password: 'secret', plainPassword: 'secret' };
const DIFFERENT = { password: 'secret', plainPassword: 'other secret' };

async function start(t: TestContext) {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const isProtected = async (id: string) =>
    (await client.call(getTransfer, { params: { id } })).isPasswordProtected;
  return { server, client, isProtected };
}

const refusedAt = (field: string) => (error: unknown) => {
  const { status, problem } = error as { status: number; problem: Problem };
  assert.deepEqual([status, Object.keys(problem.errors ?? {})], [400, [field]]);
  assert.match(problem.detail, new RegExp(field));
  return true;
};

async function requireRefused(response: Response, field: string): Promise<void> {
  const problem = (await response.json()) as Problem;
  refusedAt(field)({ status: response.status, problem });
}

test('complete accepts plainPassword like password', async (t) => {
  const { client, isProtected } = await start(t);
  for (const settings of [{ plainPassword: 'secret' }, SAME, { password: '', plainPassword: 'secret' }]) {
    const { transfer } = await uploadFile(client, 'x', NOTHING, settings);
    assert.equal(await isProtected(transfer.id), true, JSON.stringify(settings));
  }
});

test('complete refuses two different passwords, and unknown fields', async (t) => {
  const { client, isProtected } = await start(t);
  const { uploadId, transferId } = await announceFile(client, 'x', NOTHING);
  await assert.rejects(completeFile(client, uploadId, DIFFERENT), refusedAt('plainPassword'));
  await assert.rejects(completeFile(client, uploadId, { pasword: 'secret' }), refusedAt('pasword'));
  const body = { transferId, uploadIds: [uploadId] };
  const completeMany = (settings: object) => client.call(completeUploads, { body: { ...body, ...settings } });
  await assert.rejects(completeMany(DIFFERENT), refusedAt('plainPassword'));
  await assert.rejects(completeMany({ maxDownload: 1 }), refusedAt('maxDownload'));
  await completeMany({ plainPassword: 'secret' });
  assert.equal(await isProtected(transferId), true);
});

test('init refuses a password, which belongs to complete', async (t) => {
  const { client } = await start(t);
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const file = { fileName: 'x', fileSize: 0, totalChunks: 0 };
  const body = JSON.stringify({ ...file, password: 'secret' });
  await requireRefused(await client.fetch('/api/upload/init', { method: 'POST', headers, body }), 'password');
  const many = JSON.stringify({ files: [{ ...file, password: 'secret' }] });
  const answer = await client.fetch('/api/upload/init-many', { method: 'POST', headers, body: many });
  await requireRefused(answer, 'files.0.password');
});

test('PATCH sets and removes a password by either name', async (t) => {
  const { client, isProtected } = await start(t);
  const { transfer } = await uploadFile(client, 'x', NOTHING);
  const params = { id: transfer.id };
  const edit = (body: object) => client.call(updateTransfer, { params, body });
  await edit({ plainPassword: 'secret' });
  assert.equal(await isProtected(transfer.id), true);
  await assert.rejects(edit(DIFFERENT), refusedAt('plainPassword'));
  await assert.rejects(edit({ password: 'secret', plainPassword: null }), refusedAt('plainPassword'));
  await assert.rejects(edit({ passwort: 'secret' }), refusedAt('passwort'));
  await edit({ plainPassword: '' });
  assert.equal(await isProtected(transfer.id), false);
});

test('tus accepts plainPassword without storing it, and refuses unknown metadata', async (t) => {
  const { server, client, isProtected } = await start(t);
  for (const name of ['plainPassword', 'Plain-Password', 'pass-word']) {
    await announceByTus(client, 0, { [name]: 'secret' });
    const rows = await server.context.db.selectFrom('tusUploads').selectAll().execute();
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(Buffer.from('secret').toString('base64')), name);
  }
  const transfers = await server.context.db.selectFrom('transfers').select('id').execute();
  for (const { id } of transfers) assert.equal(await isProtected(id), true);
  const announce = (metadata: Record<string, string>) => {
    const headers = { 'upload-length': '0', 'upload-metadata': encodeMetadata(metadata) };
    return tusCall(client, 'POST', '/api/tus', { headers });
  };
  await requireRefused(await announce({ filename: 'x', pasword: 'secret' }), 'pasword');
  await requireRefused(await announce(DIFFERENT), 'plainPassword');
});

test('PUT accepts plainPassword in the query and as a header, and refuses unknown names', async (t) => {
  const { client, isProtected } = await start(t);
  const put = (search: string, headers: Record<string, string> = {}) =>
    client.fetch(`/api/files/x${search}`, {
      method: 'PUT',
      headers: { accept: 'application/json', ...headers },
    });
  for (const answer of [
    await put('?plainPassword=secret'),
    await put('', { 'sendwell-plain-password': 'secret' }),
  ]) {
    const { transferId } = (await answer.json()) as { transferId: string };
    assert.equal(await isProtected(transferId), true);
  }
  await requireRefused(await put('?pasword=secret'), 'pasword');
  await requireRefused(await put('', { 'sendwell-pasword': 'secret' }), 'pasword');
  await requireRefused(
    await put('?password=secret', { 'sendwell-plain-password': 'other' }),
    'plainPassword',
  );
});

test('a visitor’s form refuses settings that visitors may not set', async (t) => {
  const { server } = await start(t);
  const { token } = await startInvitation(await server.signIn('prem'));
  const visitor = await visitInvitation(server, token);
  const body = new FormData();
  body.append('files', new Blob(['x']), 'x.txt');
  body.append('hidden', 'x');
  body.append('password', 'secret');
  const headers = { accept: 'application/json' };
  await requireRefused(await visitor.fetch(formPath(token), { method: 'POST', headers, body }), 'password');
  const sent = await sendForm(visitor, token, { files: [{ path: 'x.txt', bytes: Buffer.from('x') }] });
  assert.equal(sent.status, 201);
});
