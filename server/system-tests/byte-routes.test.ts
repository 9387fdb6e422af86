import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import sharp from 'sharp';
import { allEndpoints } from '../../contracts/all-endpoints.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { verifyDownload } from '../../contracts/transfers/downloads.ts';
import { encodeSelection } from '../../contracts/transfers/selection.ts';
import { deleteTransfer } from '../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS } from '../../contracts/values/durations.ts';
import type { Client } from '../../testing/calls/client.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import { hashPassword } from '../features/accounts/passwords/passwords.ts';
import { checkFilesJob } from '../features/checksums/check-files.ts';

/** Every call that returns bytes of a transfer to anyone with its link, so that new contracts are tested too. */
const BYTE_ROUTES = allEndpoints.filter(
  ({ path, response }) => response === 'stream' && path.includes(':token'),
);

/** Calls that count as a download; previews do not. */
const COUNTED = /\/(file|all|selection)\b/;
const PASSWORD = 'open sesame';

/** In the text file; no refusal may contain it. */
const SECRET = 'the content nobody may see';

type Settings = Partial<Parameters<typeof createReadyTransfer>[1]>;

async function startServer(t: TestContext) {
  const server = await startTestServer(t);
  const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#1d6b3f' } })
    .png()
    .toBuffer();
  const make = async (settings: Settings = {}) => {
    const transfer = await createReadyTransfer(server.context, {
      userId: server.userId('prem'),
      files: [
        { path: 'picture.png', bytes: picture, mimeType: 'image/png' },
        { path: 'secret.txt', bytes: SECRET, mimeType: 'text/plain' },
      ],
      ...settings,
    });
    await checkFilesJob.run(
      server.context,
      { transferId: transfer.id },
      { attempt: 1, signal: new AbortController().signal },
    );
    return transfer;
  };
  return { server, make };
}

function pathOf({ path }: Endpoint, { token, files }: Pick<ReadyTransfer, 'token' | 'files'>): string {
  const values: Record<string, string> = { token, fileId: files[0]!.id, files: encodeSelection([0, 1]) };
  return path.replace(/:(\w+)/g, (_place, name: string) => {
    assert.ok(name in values, `this test knows no value for :${name} of ${path}`);
    return values[name]!;
  });
}

async function ask(client: Client, path: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const init of [{ method: 'HEAD' }, { headers: { range: 'bytes=1-3' } }, {}]) {
    const response = await client.fetch(path, init);
    const body = Buffer.from(await response.arrayBuffer());
    if (!response.ok) assert.ok(!body.includes(SECRET) && !body.includes('PNG'), `${path} gives bytes away`);
    statuses.push(response.status);
  }
  return statuses;
}

async function requireAll(
  client: Client,
  transfer: Pick<ReadyTransfer, 'token' | 'files'>,
  expected: number | ((endpoint: Endpoint) => number | undefined),
): Promise<void> {
  for (const endpoint of BYTE_ROUTES) {
    const status = typeof expected === 'number' ? expected : expected(endpoint);
    if (status === undefined) continue;
    const path = pathOf(endpoint, transfer);
    assert.deepEqual(await ask(client, path), [status, status, status], path);
  }
}

/** The gate let it pass: bytes, or the refusal that a picture does not exist yet. */
async function requireOpen(client: Client, transfer: ReadyTransfer): Promise<void> {
  for (const endpoint of BYTE_ROUTES) {
    const path = pathOf(endpoint, transfer);
    for (const status of await ask(client, path))
      assert.ok([200, 206].includes(status) || (status === 404 && !COUNTED.test(path)), `${path}: ${status}`);
  }
}

async function unlock(client: Client, { token }: ReadyTransfer, password = PASSWORD): Promise<Client> {
  await client.call(verifyDownload, { params: { token }, body: { password } });
  return client;
}

/** A client with the same cookies for every path of the transfer. */
function holding(
  server: TestServer,
  from: Client,
  { token }: ReadyTransfer,
  change = (value: string) => value,
) {
  const thief = server.anonymous();
  for (const cookie of from.jar.list())
    thief.jar.add({ ...cookie, path: `/api/download/${token}`, value: change(cookie.value) });
  return thief;
}

test('the calls that give bytes away are all known', () => {
  const paths = BYTE_ROUTES.map(({ method, path }) => `${method} ${path}`);
  for (const known of ['file/:fileId', 'all', 'selection/:files', 'SHA256SUMS'])
    assert.ok(paths.includes(`GET /api/download/:token/${known}`), known);
  assert.ok(BYTE_ROUTES.every(({ method, access }) => method === 'GET' && access === 'public'));
});

test('an open transfer gives every one', async (t) => {
  const { server, make } = await startServer(t);
  const open = await make();
  const guest = server.anonymous();
  await (await guest.fetch(`/api/download/${open.token}`)).arrayBuffer();
  await server.drainJobs();
  for (const endpoint of BYTE_ROUTES) {
    const path = pathOf(endpoint, open);
    const [head, , whole] = await ask(guest, path);
    assert.deepEqual([head, whole], [200, 200], path);
  }
});

test('an unknown, a deleted and an unfinished transfer are not found', async (t) => {
  const { server, make } = await startServer(t);
  const [deleted, draft] = [await make(), await make()];
  await requireAll(server.anonymous(), { ...deleted, token: '0'.repeat(26) }, 404);
  const prem = await server.signIn('prem');
  await prem.call(deleteTransfer, { params: { id: deleted.id } });
  await server.context.db
    .updateTable('transfers')
    .set({ status: 'draft' })
    .where('id', '=', draft.id)
    .execute();
  for (const client of [server.anonymous(), prem]) {
    await requireAll(client, deleted, 404);
    await requireAll(client, draft, 404);
  }
});

test('a locked transfer is closed to no, wrong, foreign, forged, stale and void proofs, and opens to the right one', async (t) => {
  const { server, make } = await startServer(t);
  const [locked, other] = [await make({ password: PASSWORD }), await make({ password: PASSWORD })];
  await requireAll(server.anonymous(), locked, 423);
  await requireAll(await server.signIn('prem'), locked, 423);

  const wrong = server.anonymous();
  await assert.rejects(unlock(wrong, locked, 'guess'));
  await requireAll(wrong, locked, 423);

  const foreign = await unlock(server.anonymous(), other);
  await requireAll(holding(server, foreign, locked), locked, 423);

  const right = await unlock(server.anonymous(), locked);
  await requireOpen(right, locked);
  await requireOpen(holding(server, right, locked), locked);
  const forged = holding(server, right, locked, (value) =>
    value.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
  );
  await requireAll(forged, locked, 423);

  server.clock.advance(12 * HOUR_MS);
  await requireAll(right, locked, 423);
  await unlock(right, locked);
  await requireOpen(right, locked);
  const passwordHash = await hashPassword('close sesame');
  await server.context.db
    .updateTable('transfers')
    .set({ passwordHash })
    .where('id', '=', locked.id)
    .execute();
  await requireAll(right, locked, 423);
});

test('an expired transfer is over for everybody, with whatever they hold', async (t) => {
  const { server, make } = await startServer(t);
  const expiresAt = server.clock.now() + HOUR_MS;
  const [plain, locked] = [await make({ expiresAt }), await make({ expiresAt, password: PASSWORD })];
  const guest = server.anonymous();
  await requireOpen(guest, plain);
  await unlock(guest, locked);
  await requireOpen(guest, locked);
  server.clock.advance(HOUR_MS);
  for (const client of [server.anonymous(), guest, await server.signIn('prem')]) {
    await requireAll(client, plain, 410);
    await requireAll(client, locked, 410);
  }
});

test('a scheduled transfer stays closed until its time, even with the password', async (t) => {
  const { server, make } = await startServer(t);
  const scheduledAvailableAt = server.clock.now() + HOUR_MS;
  const [plain, locked] = [
    await make({ scheduledAvailableAt }),
    await make({ scheduledAvailableAt, password: PASSWORD }),
  ];
  const guest = server.anonymous();
  await unlock(guest, locked);
  await requireAll(guest, plain, 423);
  await requireAll(guest, locked, 423);
  server.clock.advance(HOUR_MS);
  await requireOpen(guest, plain);
  await requireOpen(guest, locked);
});

test('a used-up transfer allows no new downloads', async (t) => {
  const { server, make } = await startServer(t);
  const usedUp = await make({ maxDownloads: 1, expiresAt: server.clock.now() + 3 * DAY_MS });
  const all = pathOf(BYTE_ROUTES.find(({ path }) => path.endsWith('/all'))!, usedUp);
  await (await server.anonymous().fetch(all)).arrayBuffer();
  const countedOnly = ({ path }: Endpoint) => (COUNTED.test(path) ? 410 : undefined);
  await requireAll(server.anonymous(), usedUp, countedOnly);
  await requireAll(await server.signIn('prem'), usedUp, countedOnly);
  await server.context.db.updateTable('transfers').set({ closedAt: 1 }).where('id', '=', usedUp.id).execute();
  await requireAll(server.anonymous(), usedUp, countedOnly);
});

test('a link gives access to nothing of another transfer', async (t) => {
  const { server, make } = await startServer(t);
  const [mine, other] = [await make(), await make({ password: PASSWORD })];
  const mixed = { token: mine.token, files: other.files };
  await requireAll(server.anonymous(), mixed, ({ path }) => (path.includes(':fileId') ? 404 : undefined));
});
