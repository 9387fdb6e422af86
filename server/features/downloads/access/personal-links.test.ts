import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { addRecipients } from '../../transfers/mails/recipients.ts';

type Settings = Partial<Parameters<typeof createReadyTransfer>[1]>;

const LARGE = Buffer.alloc(8_000_000, 7);

async function startWithRecipients(t: TestContext, settings: Settings = {}) {
  const server = await startTestServer(t);
  const { context } = server;
  const transfer = await createReadyTransfer(context, {
    userId: server.userId('paula'),
    files: [
      { path: 'large.bin', bytes: LARGE },
      { path: 'b.txt', bytes: 'second file' },
    ],
    ...settings,
  });
  const recipients = await transaction(context.db, (trx) =>
    addRecipients(trx, transfer.id, ['rex@example.org', 'rosa@example.org'], context.clock.now()),
  );
  const [rex, rosa] = recipients;
  const { token } = transfer;
  const file = (r?: string) => fileDownloadPath(token, transfer.files[0]!.id, r);
  return {
    server,
    transfer,
    token,
    file,
    zip: (r?: string) => zipDownloadPath(token, r),
    rex: rex!,
    rosa: rosa!,
  };
}

function findRecipient({ context }: TestServer, { id }: { id: string }) {
  return context.db
    .selectFrom('transferRecipients')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

async function listDownloads({ context }: TestServer) {
  return await context.db.selectFrom('downloads').selectAll().orderBy('downloadedAt').execute();
}

const open = (client: Client, token: string, r: string) =>
  client.call(viewDownload, { params: { token }, query: { r } });

async function get(client: Client, path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await client.fetch(path, { headers });
  await response.arrayBuffer();
  return response.status;
}

test('a personal link records only its own recipient’s first opening', async (t) => {
  const { server, token, rex, rosa } = await startWithRecipients(t);
  await server.anonymous().call(viewDownload, { params: { token } });
  assert.equal((await findRecipient(server, rex)).openedAt, null);
  const openedAt = server.clock.now();
  await open(server.anonymous(), token, rex.token);
  server.clock.advance(HOUR_MS);
  await open(server.anonymous(), token, rex.token);
  assert.equal((await findRecipient(server, rex)).openedAt, openedAt);
  assert.equal((await findRecipient(server, rex)).downloadedAt, null);
  assert.equal((await findRecipient(server, rosa)).openedAt, null);
});

test('twenty concurrent openings are recorded once', async (t) => {
  const { server, token, rex } = await startWithRecipients(t);
  await Promise.all(Array.from({ length: 20 }, () => open(server.anonymous(), token, rex.token)));
  assert.equal((await findRecipient(server, rex)).openedAt, server.clock.now());
});

test('locked, scheduled and expired pages count as opened and show nothing more', async (t) => {
  const { server, transfer, token, rex, rosa } = await startWithRecipients(t, { password: 'open sesame' });
  assert.deepEqual(await open(server.anonymous(), token, rex.token), {
    isPasswordProtected: true,
    unlocked: false,
  });
  assert.notEqual((await findRecipient(server, rex)).openedAt, null);
  assert.equal(await get(server.anonymous(), zipDownloadPath(token, rex.token)), 423);
  server.clock.advance(4 * DAY_MS);
  assert.deepEqual(await open(server.anonymous(), token, rosa.token), { isExpired: true });
  assert.notEqual((await findRecipient(server, rosa)).openedAt, null);
  assert.equal(
    await get(server.anonymous(), fileDownloadPath(token, transfer.files[0]!.id, rosa.token)),
    410,
  );
});

test('malformed, unknown and foreign recipient tokens are ignored', async (t) => {
  const { server, token, file, rex } = await startWithRecipients(t);
  const other = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'a.txt', bytes: 'a' }],
  });
  for (const r of ['', 'x', '0'.repeat(26), '%00', '"><script>', 'y'.repeat(5_000), '%ff', 'a&r=b']) {
    assert.equal(await get(server.anonymous(), `/api/download/${token}?r=${r}`), 200);
    assert.equal(await get(server.anonymous(), `${file()}?r=${r}`), 200);
  }
  await open(server.anonymous(), other.token, rex.token);
  assert.equal(
    await get(server.anonymous(), fileDownloadPath(other.token, other.files[0]!.id, rex.token)),
    200,
  );
  const row = await findRecipient(server, rex);
  assert.deepEqual([row.openedAt, row.downloadedAt], [null, null]);
  assert.ok((await listDownloads(server)).every(({ recipientId }) => recipientId === null));
});

test('a prefetch does not count as a visit', async (t) => {
  const { server, token, rex } = await startWithRecipients(t);
  for (const [name, value] of [
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
  ] as const) {
    const headers = { [name]: value };
    assert.equal(await get(server.anonymous(), `/api/download/${token}?r=${rex.token}`, headers), 200);
  }
  assert.equal((await findRecipient(server, rex)).openedAt, null);
});

test('the owner opening a recipient’s link records nothing', async (t) => {
  const { server, token, file, rex } = await startWithRecipients(t);
  const paula = await server.signIn('paula');
  await open(paula, token, rex.token);
  assert.equal(await get(paula, file(rex.token)), 200);
  await until(async () => (await listDownloads(server)).every(({ completedAt }) => completedAt !== null));
  const row = await findRecipient(server, rex);
  assert.deepEqual([row.openedAt, row.downloadedAt], [null, null]);
  const frida = await server.signIn('frida');
  await open(frida, token, rex.token);
  assert.notEqual((await findRecipient(server, rex)).openedAt, null);
});

test('the first complete file or zip marks the recipient as having downloaded', async (t) => {
  const { server, file, zip, rex, rosa } = await startWithRecipients(t);
  const downloadedAt = server.clock.now();
  assert.equal(await get(server.anonymous(), file(rex.token)), 200);
  assert.equal(await get(server.anonymous(), zip(rosa.token)), 200);
  for (const each of [rex, rosa]) {
    await until(async () => (await findRecipient(server, each)).downloadedAt === downloadedAt);
    assert.equal((await findRecipient(server, each)).openedAt, downloadedAt);
  }
  const recipientIds = (await listDownloads(server)).map(({ recipientId }) => recipientId);
  assert.deepEqual(recipientIds.toSorted(), [rex.id, rosa.id].toSorted());
  server.clock.advance(HOUR_MS);
  assert.equal(await get(server.anonymous(), file(rex.token)), 200);
  await until(async () => (await listDownloads(server)).every(({ completedAt }) => completedAt !== null));
  assert.equal((await findRecipient(server, rex)).downloadedAt, downloadedAt);
});

test('an interrupted download marks nobody until it is resumed to its end, with or without the token', async (t) => {
  const { server, file, rex } = await startWithRecipients(t);
  const guest = server.anonymous();
  const cut = new AbortController();
  const response = await guest.fetch(file(rex.token), { signal: cut.signal });
  await response.body!.getReader().read();
  cut.abort();
  assert.equal((await findRecipient(server, rex)).downloadedAt, null);
  assert.equal(await get(guest, file(), { range: 'bytes=1000-1999' }), 206);
  assert.equal((await findRecipient(server, rex)).downloadedAt, null);
  assert.equal(await get(guest, file(), { range: 'bytes=2000-' }), 206);
  await until(async () => (await findRecipient(server, rex)).downloadedAt !== null);
  assert.equal((await listDownloads(server)).length, 1);
});

test('HEAD with a recipient’s token records nothing', async (t) => {
  const { server, file, zip, rex } = await startWithRecipients(t);
  for (const path of [file(rex.token), zip(rex.token)]) {
    assert.equal((await server.anonymous().fetch(path, { method: 'HEAD' })).status, 200);
  }
  const row = await findRecipient(server, rex);
  assert.deepEqual([row.openedAt, row.downloadedAt], [null, null]);
});
