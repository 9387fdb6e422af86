import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { verifyDownload, viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { cheapHash } from '../../../../testing/lib/cheap-hash.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { hashPassword } from '../../accounts/passwords/passwords.ts';

const FILES = [
  { path: 'a.txt', bytes: 'hello world' },
  { path: 'b.txt', bytes: 'second file' },
];
const LOCKED = { isPasswordProtected: true, unlocked: false };

async function startLocked(t: TestContext) {
  const server = await startTestServer(t);
  const make = (password?: string) =>
    createReadyTransfer(server.context, {
      userId: server.userId('paula'),
      files: FILES,
      title: 'Secret',
      ...(password !== undefined && { password }),
    });
  return { server, make, transfer: await make('open sesame') };
}

function verify(client: Client, token: string, password: unknown): Promise<undefined> {
  return client.call(verifyDownload, { params: { token }, body: { password } });
}

const refusedAs = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test('a locked transfer reveals only that it is locked, on every route', async (t) => {
  const { server, transfer } = await startLocked(t);
  const { token, files } = transfer;
  const guest = server.anonymous();
  assert.deepEqual(await (await guest.fetch(`/api/download/${token}`)).json(), LOCKED);
  for (const path of [fileDownloadPath(token, files[0]!.id), zipDownloadPath(token)]) {
    assert.equal((await guest.fetch(path)).status, 423);
    assert.equal((await guest.fetch(path, { method: 'HEAD' })).status, 423);
    assert.equal((await guest.fetch(path, { headers: { range: 'bytes=1-' } })).status, 423);
  }
});

test('the right password unlocks this transfer in this browser for twelve hours', async (t) => {
  const { server, make, transfer } = await startLocked(t);
  const { token, files } = transfer;
  const guest = server.anonymous();
  await verify(guest, token, 'open sesame');
  const [cookie] = guest.jar.list();
  assert.equal(cookie!.path, `/api/download/${token}`);
  const view = await guest.call(viewDownload, { params: { token } });
  assert.deepEqual([view.isPasswordProtected, view.unlocked, view.title], [true, true, 'Secret']);
  assert.equal((await guest.fetch(fileDownloadPath(token, files[0]!.id))).status, 200);
  assert.equal((await guest.fetch(zipDownloadPath(token))).status, 200);

  const otherTransfer = await make('open sesame');
  guest.jar.add({ ...cookie!, path: `/api/download/${otherTransfer.token}` });
  assert.deepEqual(await guest.call(viewDownload, { params: { token: otherTransfer.token } }), LOCKED);
  assert.deepEqual(await server.anonymous().call(viewDownload, { params: { token } }), LOCKED);

  server.clock.advance(12 * HOUR_MS - 1);
  assert.equal((await guest.call(viewDownload, { params: { token } })).unlocked, true);
  server.clock.advance(1);
  assert.deepEqual(await guest.call(viewDownload, { params: { token } }), LOCKED);
});

test('scripts cannot read the cookie, and it is sent only where needed', async (t) => {
  const { server, transfer } = await startLocked(t);
  const response = await server.anonymous().fetch(`/api/download/${transfer.token}/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'open sesame' }),
  });
  assert.equal(response.status, 204);
  const [cookie] = response.headers.getSetCookie();
  assert.match(cookie!, /; HttpOnly; SameSite=Lax$/);
  assert.match(cookie!, /; Max-Age=43200; /);
});

test('missing, wrong and malformed passwords do not unlock', async (t) => {
  const { server, transfer } = await startLocked(t);
  const guest = server.anonymous();
  await assert.rejects(verify(guest, transfer.token, 'open sesame '), refusedAs('wrong_password'));
  for (const password of ['', undefined, null, true, 7, ['open sesame'], { $ne: '' }, 'x'.repeat(2_000)])
    await assert.rejects(verify(guest, transfer.token, password), refusedAs('invalid_input'));
  await assert.rejects(verify(guest, '0'.repeat(26), 'open sesame'), refusedAs('transfer_not_found'));
  assert.deepEqual(guest.jar.list(), []);
  assert.deepEqual(await guest.call(viewDownload, { params: { token: transfer.token } }), LOCKED);
});

test('a forged, truncated or foreign cookie does not unlock', async (t) => {
  const { server, transfer } = await startLocked(t);
  const { token } = transfer;
  const guest = server.anonymous();
  await verify(guest, token, 'open sesame');
  const [cookie] = guest.jar.list();
  const [payload, expiry, signature] = cookie!.value.split('.');
  const forgeries = [
    '',
    'unlocked',
    `${payload}.zzzzzzzzz.${signature}`,
    `${payload}.${expiry}.`,
    `${payload}.${expiry}.${signature!.slice(1)}`,
    `${cookie!.value}.x`,
  ];
  for (const value of forgeries) {
    const forger = server.anonymous();
    forger.jar.add({ ...cookie!, value });
    assert.deepEqual(await forger.call(viewDownload, { params: { token } }), LOCKED, value);
  }
});

test('changing the password revokes earlier unlocks', async (t) => {
  const { server, transfer } = await startLocked(t);
  const guest = server.anonymous();
  await verify(guest, transfer.token, 'open sesame');
  const passwordHash = await hashPassword('close sesame');
  await server.context.db
    .updateTable('transfers')
    .set({ passwordHash })
    .where('id', '=', transfer.id)
    .execute();
  assert.deepEqual(await guest.call(viewDownload, { params: { token: transfer.token } }), LOCKED);
  await verify(guest, transfer.token, 'close sesame');
  assert.equal((await guest.call(viewDownload, { params: { token: transfer.token } })).unlocked, true);
});

test('the eleventh attempt after ten wrong passwords must wait, even if right; right passwords are not counted', async (t) => {
  const { server, make, transfer } = await startLocked(t);
  const guest = server.anonymous();
  for (let tries = 0; tries < 12; tries += 1) await verify(guest, transfer.token, 'open sesame');
  const wrong = await Promise.allSettled(
    Array.from({ length: 14 }, () => verify(guest, transfer.token, 'guess')),
  );
  const codes = wrong.map((each) => each.status === 'rejected' && (each.reason as ApiError).code);
  assert.equal(codes.filter((code) => code === 'wrong_password').length, 10);
  assert.equal(codes.filter((code) => code === 'too_many_requests').length, 4);
  await assert.rejects(verify(guest, transfer.token, 'open sesame'), refusedAs('too_many_requests'));
  const other = await make('open sesame');
  await verify(guest, other.token, 'open sesame');
  server.clock.advance(15 * MINUTE_MS);
  await verify(guest, transfer.token, 'open sesame');
});

test('an expired transfer cannot be unlocked', async (t) => {
  const { server, transfer } = await startLocked(t);
  server.clock.advance(30 * 24 * HOUR_MS);
  await assert.rejects(
    verify(server.anonymous(), transfer.token, 'open sesame'),
    refusedAs('transfer_expired'),
  );
});

test('a transfer without a password accepts any and sets no cookie', async (t) => {
  const { server, make } = await startLocked(t);
  const { token } = await make();
  const guest = server.anonymous();
  await verify(guest, token, 'whatever');
  assert.deepEqual(guest.jar.list(), []);
});

test('guesses from many addresses share one budget, and recipients keep their own attempts', async (t) => {
  const server = await startTestServer(t, { TRUST_PROXY: '1' });
  const { id, token } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    password: 'open sesame',
  });
  await server.context.db
    .updateTable('transfers')
    .set({ passwordHash: cheapHash('open sesame') })
    .where('id', '=', id)
    .execute();
  const verifyFrom = async (address: string, password: string) => {
    const response = await server.anonymous().fetch(`/api/download/${token}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ password }),
    });
    return response.status;
  };
  assert.equal(await verifyFrom('203.0.113.9', 'open sesame'), 204);
  const statuses: number[] = [];
  for (let index = 0; index < 102; index += 1)
    statuses.push(await verifyFrom(`198.51.100.${index}`, `guess ${index}`));
  assert.equal(statuses.filter((status) => status === 401).length, 100);
  assert.equal(await verifyFrom('198.51.100.200', 'open sesame'), 429);
  assert.equal(await verifyFrom('203.0.113.9', 'wrong'), 401);
  assert.equal(await verifyFrom('203.0.113.9', 'open sesame'), 204);
  server.clock.advance(5 * MINUTE_MS);
  assert.equal(await verifyFrom('198.51.100.201', 'open sesame'), 204, 'one attempt is available again');
});
