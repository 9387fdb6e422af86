import assert from 'node:assert/strict';
import { StatementSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { verifyDownload, viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { deleteTransfer, updateTransfer } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../../../testing/factories.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { openOwnDatabase } from '../../../create-context.ts';
import { isSqlite } from '../../../platform/db/open.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { PresentedAnswer } from '../../../platform/http/routing/presented-answer.ts';
import { findShare } from '../queries.ts';
import { ViewCache } from './view-cache.ts';

const FILES = [
  { path: 'a.txt', bytes: 'hello world' },
  { path: 'b.txt', bytes: 'second file' },
];
const LOCKED = { isPasswordProtected: true, unlocked: false };
const EXPIRED = { isExpired: true };

type Made = { server: TestServer; transfer: ReadyTransfer; view: () => Promise<Record<string, unknown>> };

/** A server that keeps the view of a transfer. */
async function startWithKeptView(
  t: TestContext,
  settings: Partial<Parameters<typeof createReadyTransfer>[1]> = {},
): Promise<Made> {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    title: 'Plans',
    ...settings,
  });
  // The first view enqueues the detection of previews.
  await server.anonymous().fetch(`/api/download/${transfer.token}`, { method: 'HEAD' });
  await server.drainJobs();
  await requireKept(t, server, transfer);
  const view = () => server.anonymous().call(viewDownload, { params: { token: transfer.token } });
  return { server, transfer, view };
}

/** HEAD is answered like GET, but isn't recorded as a view, which would be a write. */
async function requireKept(t: TestContext, server: TestServer, { token }: ReadyTransfer): Promise<void> {
  const look = () => server.anonymous().fetch(`/api/download/${token}`, { method: 'HEAD' });
  await look();
  if (!isSqlite(server.context.db)) return;
  const reads = t.mock.method(StatementSync.prototype, 'all');
  await look();
  assert.equal(reads.mock.callCount(), 0, 'the view is not kept');
  reads.mock.restore();
}

const isNotFound = (error: unknown) => error instanceof ApiError && error.code === 'transfer_not_found';

test('a kept view is the same as a computed one, and is recorded as a view', async (t) => {
  const { server, transfer } = await startWithKeptView(t);
  const path = `/api/download/${transfer.token}`;
  const guest = server.anonymous();
  // Other cookies do not change the view, but requests with cookies don't use kept views.
  const computed = await guest.fetch(path, { headers: { cookie: 'other=1', 'user-agent': 'One' } });
  const seen = [await computed.text()];
  for (const agent of ['Two', 'Three', 'Three']) {
    const response = await guest.fetch(path, { headers: { 'user-agent': agent } });
    assert.equal(response.headers.get('content-type'), computed.headers.get('content-type'));
    assert.equal(response.headers.get('cache-control'), 'no-store');
    seen.push(await response.text());
  }
  assert.equal(new Set(seen).size, 1);
  const listViews = () => server.context.db.selectFrom('transferViews').select('userAgent').execute();
  await until(async () => (await listViews()).length === 3);
  assert.deepEqual((await listViews()).map(({ userAgent }) => userAgent).sort(), ['One', 'Three', 'Two']);
});

test('a kept view records that a recipient opened the personal link', async (t) => {
  const { server, transfer } = await startWithKeptView(t, { recipientEmails: ['rex@example.org'] });
  const { db } = server.context;
  const recipients = db.selectFrom('transferRecipients').select(['token', 'openedAt']);
  const [{ token: r } = { token: null }] = await recipients.execute();
  await server.anonymous().call(viewDownload, { params: { token: transfer.token }, query: { r } });
  assert.equal((await recipients.executeTakeFirstOrThrow()).openedAt, server.clock.now());
});

test('an edit, a password and the removal of a transfer show at once', async (t) => {
  const { server, transfer, view } = await startWithKeptView(t);
  const paula = await server.signIn('paula');
  const params = { id: transfer.id };
  await requireKept(t, server, transfer);
  await paula.call(updateTransfer, { params, body: { title: 'Better plans' } });
  assert.equal((await view()).title, 'Better plans');
  await requireKept(t, server, transfer);
  await paula.call(updateTransfer, { params, body: { password: 'open sesame' } });
  assert.deepEqual(await view(), LOCKED);
  await requireKept(t, server, transfer);
  await paula.call(deleteTransfer, { params });
  await assert.rejects(view(), isNotFound);
});

test('a browser that unlocked a transfer sees it, while the others keep seeing a locked one', async (t) => {
  const { server, transfer, view } = await startWithKeptView(t, { password: 'open sesame' });
  const params = { token: transfer.token };
  const guest = server.anonymous();
  assert.deepEqual(await view(), LOCKED);
  await guest.call(verifyDownload, { params, body: { password: 'open sesame' } });
  await requireKept(t, server, transfer);
  assert.equal((await guest.call(viewDownload, { params })).title, 'Plans');
  assert.deepEqual(await view(), LOCKED);
  assert.equal((await guest.call(viewDownload, { params })).title, 'Plans');
});

test('a kept view ends when the transfer expires, and when the clock is set back', async (t) => {
  const { server, transfer, view } = await startWithKeptView(t, { expiresAt: Date.UTC(2026, 10, 16) });
  server.clock.jump(12 * HOUR_MS - 1);
  assert.equal((await view()).title, 'Plans');
  await requireKept(t, server, transfer);
  server.clock.jump(1);
  assert.deepEqual(await view(), EXPIRED);
  await requireKept(t, server, transfer);
  server.clock.jump(-1);
  assert.equal((await view()).title, 'Plans');
});

test('a kept view ends at the scheduled time', async (t) => {
  const scheduledAvailableAt = Date.UTC(2026, 10, 16);
  const { server, view } = await startWithKeptView(t, { scheduledAvailableAt });
  assert.equal((await view()).files, undefined);
  server.clock.jump(12 * HOUR_MS);
  assert.equal(((await view()).files as unknown[]).length, FILES.length);
});

test('a download shows in the count at once, and so does the last one', async (t) => {
  const { server, transfer, view } = await startWithKeptView(t, { maxDownloads: 2 });
  for (const downloadCount of [1, 2]) {
    await requireKept(t, server, transfer);
    const path = fileDownloadPath(transfer.token, transfer.files[0]!.id);
    await (await server.anonymous().fetch(path)).arrayBuffer();
    assert.equal((await view()).downloadCount, downloadCount);
  }
});

test('a transfer that is held, blocked or taken down is not shown from memory', async (t) => {
  const { server, transfer, view } = await startWithKeptView(t);
  const update = (values: { scanState?: 'checking' | 'blocked' | null; takenDownAt?: number }) =>
    server.context.db.updateTable('transfers').set(values).where('id', '=', transfer.id).execute();
  await update({ scanState: 'checking' });
  assert.deepEqual(await view(), { isChecking: true });
  await requireKept(t, server, transfer);
  await update({ scanState: null });
  assert.equal((await view()).title, 'Plans');
  await requireKept(t, server, transfer);
  await update({ scanState: 'blocked' });
  await assert.rejects(view(), { code: 'transfer_blocked' });
  await update({ scanState: null, takenDownAt: server.clock.now() });
  await assert.rejects(view(), { code: 'transfer_taken_down' });
});

test('writes of another process show at once', async (t) => {
  const { server, transfer, view } = await startWithKeptView(t);
  const other = await openOwnDatabase(server.context.config);
  t.after(() => other.destroy());
  for (const title of ['Second', 'Third']) {
    await requireKept(t, server, transfer);
    await other.updateTable('transfers').set({ title }).where('id', '=', transfer.id).execute();
    assert.equal((await view()).title, title);
  }
  await requireKept(t, server, transfer);
  await other.deleteFrom('transfers').where('id', '=', transfer.id).execute();
  await assert.rejects(view(), isNotFound);
});

test('a transaction shows when it commits and never if it rolls back', async (t) => {
  const { server, transfer, view } = await startWithKeptView(t);
  const rename = (title: string, isKept: boolean) =>
    transaction(server.context.db, async (trx) => {
      await trx.updateTable('transfers').set({ title }).where('id', '=', transfer.id).execute();
      if (!isKept) throw new Error('rolled back');
    });
  await assert.rejects(rename('Never', false));
  assert.equal((await view()).title, 'Plans');
  await requireKept(t, server, transfer);
  const [, during] = await Promise.all([rename('Now', true), view()]);
  assert.ok(['Plans', 'Now'].includes(during.title as string));
  assert.equal((await view()).title, 'Now');
});

test('a view read before a write is not kept after it', async (t) => {
  const { server, transfer, view } = await startWithKeptView(t);
  const { db } = server.context;
  const rename = (title: string) =>
    db.updateTable('transfers').set({ title }).where('id', '=', transfer.id).execute();
  const cache = new ViewCache(server.context);
  const before = cache.readState();
  assert.equal(before !== undefined, isSqlite(db));
  if (before) {
    const share = (await findShare(db, transfer.token))!;
    const old = { share, isVisit: true, answer: PresentedAnswer.of(viewDownload, { title: 'Plans' }) };
    cache.keep(transfer.token, before, old);
    assert.equal(cache.find(transfer.token, cache.readState()!)?.answer, old.answer);
    await rename('Second');
    const after = cache.readState()!;
    cache.keep(transfer.token, before, old);
    assert.equal(cache.find(transfer.token, after), undefined);
  }
  for (let round = 0; round < 20; round += 1) {
    const title = `Title ${round}`;
    await Promise.all([view(), rename(title), view()]);
    assert.equal((await view()).title, title);
  }
});
