import assert from 'node:assert/strict';
import test from 'node:test';
import { COUNT_QUOTAS, type CountQuotas } from '../../../../contracts/plans/tiers.ts';
import {
  initUpload,
  initUploads,
  listUploads,
  type UnfinishedUpload,
} from '../../../../contracts/transfers/uploads/uploads.ts';
import { beginUpdate, planUpdate, publishUpdate } from '../../../../contracts/transfers/versions.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { readNextCursor } from '../../../../contracts/values/paging.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { completeFile, uploadFile } from '../../../../testing/uploads/upload-files.ts';
import { startInvitation } from '../../../../testing/visitors/visit.ts';
import { openVisit } from '../../../../testing/visitors/visitor-uploads.ts';

const EMPTY = { fileName: 'empty', fileSize: 0, totalChunks: 0 };
const FREE = COUNT_QUOTAS.free;
const NOTHING: CountQuotas = { openUploads: 0, drafts: 0, transfers: 0, files: 0 };

/** Sets an account's counters as if a recount had just found these values. */
async function setCounters(
  { context, clock, userId }: TestServer,
  counts: Partial<CountQuotas>,
  name: 'frida' | 'prem' = 'frida',
) {
  const row = { ...NOTHING, ...counts, countedAt: clock.now() };
  await context.db
    .insertInto('accountCounts')
    .values({ ...row, userId: userId(name) })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(row))
    .execute();
}

const announce = (client: Client, transferId?: string) =>
  client.call(initUpload, { body: { ...EMPTY, transferId } });

const announceMany = (client: Client, count: number, transferId?: string) =>
  client.call(initUploads, { body: { transferId, files: Array.from({ length: count }, () => EMPTY) } });

test('empty files count: an account at its file quota is refused and told what to do', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await setCounters(server, { files: FREE.files - 2 });
  await assert.rejects(announceMany(frida, 3), {
    status: 409,
    code: 'count_quota_exceeded',
    message:
      '409: Your free plan allows 300,000 files at a time. Delete some of your transfers, or upgrade your plan.',
  });
  await announceMany(frida, 2);
  await assert.rejects(announce(frida), { code: 'count_quota_exceeded' });
});

test('the first announcements of an account may be concurrent', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await Promise.all(Array.from({ length: 8 }, () => announce(frida)));
  assert.equal((await frida.call(listUploads)).length, 8);
});

test('exactly as many parallel callers succeed as the quota allows', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await announce(frida);
  for (const name of ['openUploads', 'drafts', 'transfers', 'files'] as const) {
    await setCounters(server, { [name]: FREE[name] - 5 });
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => announce(frida)));
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    assert.equal(refused.length, 7, name);
    for (const { code } of refused) assert.equal(code, 'count_quota_exceeded');
  }
});

test('finished, deleted and aborted uploads free their quota', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const draft = await announce(frida);
  const { transfer } = await uploadFile(frida, 'x', Buffer.alloc(0));
  await setCounters(server, FREE);
  await assert.rejects(announce(frida, draft.transferId), { code: 'count_quota_exceeded' });
  server.clock.advance(MINUTE_MS);
  await announce(frida, transfer.id);
  const counts = await server.context.db
    .selectFrom('accountCounts')
    .selectAll()
    .where('userId', '=', server.userId('frida'))
    .executeTakeFirstOrThrow();
  const { openUploads, drafts, transfers, files } = counts;
  assert.deepEqual([openUploads, drafts, transfers, Number(files)], [2, 1, 2, 3]);
});

test('an account at its draft quota can still finish its drafts', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { uploadId, transferId } = await announce(frida);
  await setCounters(server, { drafts: FREE.drafts, transfers: FREE.transfers });
  await assert.rejects(announce(frida), { code: 'count_quota_exceeded' });
  await announce(frida, transferId);
  await completeFile(frida, uploadId);
});

test('files of earlier versions that an update uses again count like new ones', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const files = [{ path: 'a.txt', bytes: 'a' }];
  const { id, ...transfer } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files,
  });
  const fileId = transfer.files[0]!.id;
  const params = { id };
  const { version } = await frida.call(beginUpdate, { params });
  const reused = ['b.txt', 'c.txt'].map((relativePath) => ({ fileId, relativePath }));
  await frida.call(planUpdate, { params, body: { removed: [], reused } });
  await setCounters(server, { files: FREE.files - 1 });
  const publish = () => frida.call(publishUpdate, { params, body: { version } });
  await assert.rejects(publish(), { code: 'count_quota_exceeded' });
  server.clock.advance(MINUTE_MS);
  assert.equal((await publish()).fileCount, 3, 'once a recount finds room');
});

test('visitors are told that there is no room, but nothing about the owner’s plan', async (t) => {
  const { server, vera } = await openVisit(t);
  await setCounters(server, COUNT_QUOTAS.premium, 'prem');
  await assert.rejects(vera.announce([{ path: 'x.txt', bytes: Buffer.from('x') }]), {
    status: 413,
    code: 'invitation_full',
  });
  await startInvitation(await server.signIn('prem'));
});

test('unfinished uploads are paged, oldest first and each once', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transferId, uploads } = await announceMany(frida, 5);
  server.clock.advance(1);
  const later = await announceMany(frida, 2, transferId);
  const expected = [...uploads, ...later.uploads].map(({ uploadId }) => uploadId);
  const seen: string[] = [];
  let path: string | undefined = `${listUploads.path}?limit=2`;
  while (path !== undefined) {
    const response = await frida.fetch(path);
    const page = (await response.json()) as UnfinishedUpload[];
    assert.ok(page.length <= 2);
    seen.push(...page.map(({ uploadId }) => uploadId));
    const cursor = readNextCursor(response.headers.get('link'));
    path = cursor && `${listUploads.path}?limit=2&cursor=${cursor}`;
  }
  assert.deepEqual(seen, expected);
  assert.equal((await frida.call(listUploads)).length, 7);
  await assert.rejects(frida.call(listUploads, { query: { cursor: 'x' } }), { status: 400 });
});
