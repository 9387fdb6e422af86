import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import sharp from 'sharp';
import { allEndpoints } from '../../contracts/all-endpoints.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { verifyDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection } from '../../contracts/transfers/downloads/selection.ts';
import { deleteTransfer } from '../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS } from '../../contracts/values/durations.ts';
import type { Client } from '../../testing/calls/client.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import { makePdf } from '../../testing/uploads/hostile-files.ts';
import { hashPassword } from '../features/accounts/passwords/passwords.ts';
import { checkFilesJob } from '../features/checksums/check-files.ts';

/** Every call that returns bytes of a transfer to anyone with its link. Derived, so that new contracts are tested. */
const BYTE_ROUTES = allEndpoints.filter(
  ({ path, response }) => response === 'stream' && path.includes(':token'),
);

/** Only encrypted transfers have these. */
const SEALED = /\/(manifest|pictures)$/;

/** Calls that count as a download, unlike previews. */
const COUNTED = /\/(file|all|selection)\b/;
const PASSWORD = 'open sesame';

/** Content of the text file that no refusal may contain. */
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
        { path: 'plan.pdf', bytes: makePdf(), mimeType: 'application/pdf' },
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
  const values: Record<string, string> = {
    token,
    fileId: files[path.includes(':page') ? 2 : 0]!.id,
    files: encodeSelection([0, 1]),
    page: '1',
    version: '1',
  };
  return path.replace(/:(\w+)/g, (_place, name: string) => {
    assert.ok(name in values, `this test knows no value for :${name} of ${path}`);
    return values[name]!;
  });
}

async function fetchEachWay(client: Client, path: string): Promise<number[]> {
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
    assert.deepEqual(await fetchEachWay(client, path), [status, status, status], path);
  }
}

/** Asserts bytes, or the 404 of a picture that does not exist yet. */
async function requireOpen(client: Client, transfer: ReadyTransfer): Promise<void> {
  for (const endpoint of BYTE_ROUTES) {
    const path = pathOf(endpoint, transfer);
    for (const status of await fetchEachWay(client, path))
      assert.ok([200, 206].includes(status) || (status === 404 && !COUNTED.test(path)), `${path}: ${status}`);
  }
}

async function unlock(client: Client, { token }: ReadyTransfer, password = PASSWORD): Promise<Client> {
  await client.call(verifyDownload, { params: { token }, body: { password } });
  return client;
}

/** A client that sends the cookies of another one for every path of the transfer. */
function withCookiesOf(
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

test('the list of calls that return bytes of a transfer is complete', () => {
  const paths = BYTE_ROUTES.map(({ method, path }) => `${method} ${path}`);
  for (const known of ['file/:fileId', 'all', 'selection/:files', 'SHA256SUMS'])
    assert.ok(paths.includes(`GET /api/download/:token/${known}`), known);
  assert.ok(BYTE_ROUTES.every(({ method, access }) => method === 'GET' && access === 'public'));
});

test('an open transfer is served by every call', async (t) => {
  const { server, make } = await startServer(t);
  const open = await make();
  const guest = server.anonymous();
  await (await guest.fetch(`/api/download/${open.token}`)).arrayBuffer();
  await server.drainJobs();
  for (const endpoint of BYTE_ROUTES) {
    const path = pathOf(endpoint, open);
    const [head, , whole] = await fetchEachWay(guest, path);
    const status = SEALED.test(path) ? 404 : 200;
    assert.deepEqual([head, whole], [status, status], path);
  }
});

test('unknown, deleted and unfinished transfers are not found', async (t) => {
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

test('a locked transfer refuses missing, wrong, foreign, forged, stale and void proofs and accepts the right one', async (t) => {
  const { server, make } = await startServer(t);
  const [locked, other] = [await make({ password: PASSWORD }), await make({ password: PASSWORD })];
  await requireAll(server.anonymous(), locked, 423);
  await requireAll(await server.signIn('prem'), locked, 423);

  const wrong = server.anonymous();
  await assert.rejects(unlock(wrong, locked, 'guess'));
  await requireAll(wrong, locked, 423);

  const foreign = await unlock(server.anonymous(), other);
  await requireAll(withCookiesOf(server, foreign, locked), locked, 423);

  const right = await unlock(server.anonymous(), locked);
  await requireOpen(right, locked);
  await requireOpen(withCookiesOf(server, right, locked), locked);
  const forged = withCookiesOf(server, right, locked, (value) =>
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

test('an expired transfer is refused for everybody, even with an unlock cookie', async (t) => {
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

test('a scheduled transfer is refused until its time, even with the password', async (t) => {
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

test('a link gives no access to another transfer', async (t) => {
  const { server, make } = await startServer(t);
  const [mine, other] = [await make(), await make({ password: PASSWORD })];
  const mixed = { token: mine.token, files: other.files };
  await requireAll(server.anonymous(), mixed, ({ path }) => (path.includes(':fileId') ? 404 : undefined));
});
