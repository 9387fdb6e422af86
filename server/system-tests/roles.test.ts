import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../client/api-error.ts';
import { updatePreferences } from '../../contracts/accounts/settings.ts';
import { allEndpoints } from '../../contracts/all-endpoints.ts';
import { planChunks } from '../../contracts/plans/limits.ts';
import {
  DEFAULT_TIER_CONFIG,
  getTierConfig,
  TIERS,
  type TierName,
  tierLabel,
} from '../../contracts/plans/tiers.ts';
import { viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import {
  deleteTransfer,
  getTransfer,
  listTransfers,
  updateTransfer,
} from '../../contracts/transfers/transfers.ts';
import { initUpload } from '../../contracts/transfers/uploads/uploads.ts';
import { shareLink } from '../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../contracts/values/durations.ts';
import type { CastName } from '../../testing/cast.ts';
import { createReadyTransfer } from '../../testing/factories.ts';
import { startTestServer } from '../../testing/test-context.ts';
import { announceFile, completeFile, uploadFile } from '../../testing/uploads/upload-files.ts';
import { toIso } from '../platform/lib/clock.ts';

const NOTHING = Buffer.alloc(0);
const SENDERS = { free: 'frida', pro: 'paula', premium: 'prem' } as const satisfies Record<
  TierName,
  CastName
>;

const PUBLIC_CALLS = [
  'DELETE /api/unsubscribe/:token',
  'GET /api/ad-files/:signature',
  'GET /api/backgrounds/:signature',
  'GET /api/download/:token',
  'GET /api/download/:token/SHA256SUMS',
  'GET /api/download/:token/all',
  'GET /api/download/:token/arrival',
  'GET /api/download/:token/background-url',
  'GET /api/download/:token/file/:fileId',
  'GET /api/download/:token/files',
  'GET /api/download/:token/manifest',
  'GET /api/download/:token/pictures',
  'GET /api/download/:token/preview/:fileId',
  'GET /api/download/:token/preview/:fileId/pages',
  'GET /api/download/:token/preview/:fileId/pages/:page',
  'GET /api/download/:token/selection/:files',
  'GET /api/download/:token/thumbnail/:fileId',
  'GET /api/download/:token/versions',
  'GET /api/download/:token/versions/:version/all',
  'GET /api/download/:token/versions/:version/files',
  'GET /api/openapi.json',
  'GET /api/sign-in/providers',
  'GET /api/site',
  'GET /api/tier-config',
  'GET /api/unsubscribe/:token',
  'GET /api/upload-invitations/:token/details',
  'GET /healthz',
  'GET /readyz',
  'OPTIONS /api/tus',
  'POST /api/account/secure',
  'POST /api/download/:token/arrival-notices',
  'POST /api/download/:token/reopen-requests',
  'POST /api/download/:token/report',
  'POST /api/download/:token/verify',
  'POST /api/email-change/undo',
  'POST /api/login',
  'POST /api/login/link',
  'POST /api/login/link/request',
  'POST /api/login/passkey',
  'POST /api/login/passkey/options',
  'POST /api/login/second-factor',
  'POST /api/login/second-factor/passkey',
  'POST /api/logout',
  'POST /api/password-reset/confirm',
  'POST /api/password-reset/request',
  'POST /api/payments/webhook',
  'POST /api/pickup',
  'POST /api/register',
  'POST /api/register/invitation',
  'POST /api/sign-in/sso',
  'POST /api/unsubscribe/:token',
  'POST /api/upload-invitations/:token/send-verification',
  'POST /api/upload-invitations/:token/upload',
  'POST /api/upload-invitations/:token/verify',
];

const PAID_SETTINGS: [label: string, settings: (now: number) => object][] = [
  ['Password protection', () => ({ password: 'secret' })],
  ['A download limit', () => ({ maxDownloads: 3 })],
  ['A scheduled transfer', (now) => ({ scheduledAvailableAt: toIso(now + HOUR_MS) })],
  ['Auto-delete after downloads', () => ({ autoDeleteAfterDownloads: true })],
];

test('anonymous callers have access to configuration, registration and downloads only', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const open: string[] = [];
  for (const { method, path, body } of allEndpoints) {
    const address = path.replace(/:\w+/g, '0'.repeat(26));
    const type = body === 'stream' ? 'application/octet-stream' : 'application/json';
    const answer = await client.fetch(address, {
      method,
      ...(body !== undefined && { body: '{}', headers: { 'content-type': type } }),
    });
    // A response to HEAD has no body.
    const sentence = (await answer.text()) || (method === 'HEAD' && answer.status === 401);
    if (sentence === true || sentence === 'Please sign in first.') assert.equal(answer.status, 401, path);
    else open.push(`${method} ${path}`);
  }
  assert.deepEqual(open.sort(), PUBLIC_CALLS);
  assert.deepEqual(await client.call(getTierConfig), DEFAULT_TIER_CONFIG);
});

test('users can list, view and delete their own transfers and no others', async (t) => {
  const server = await startTestServer(t);
  for (const tier of TIERS) {
    const name = SENDERS[tier];
    const client = await server.signIn(name);
    const files = [{ path: 'a.txt', bytes: 'a' }];
    const own = await createReadyTransfer(server.context, { userId: server.userId(name), files });
    const foreign = await createReadyTransfer(server.context, { userId: server.userId('ada'), files });
    const [listed, ...others] = await client.call(listTransfers);
    assert.deepEqual([listed!.id, others], [own.id, []]);
    assert.match(shareLink(server.url, listed!.token), new RegExp(`/download/${own.token}$`));
    assert.equal((await client.call(getTransfer, { params: { id: own.id } })).token, own.token);
    await client.call(deleteTransfer, { params: { id: own.id } });
    assert.deepEqual(await client.call(listTransfers), []);
    const params = { id: foreign.id };
    await assert.rejects(client.call(getTransfer, { params }), { status: 404 });
    await assert.rejects(client.call(deleteTransfer, { params }), { status: 404 });
    await client.call(viewDownload, { params: { token: foreign.token } });
  }
});

for (const tier of TIERS) {
  const isPaid = tier !== 'free';
  const who = isPaid ? `${tierLabel(tier)} includes` : 'Free is refused and referred to Pro';

  for (const [label, settings] of PAID_SETTINGS)
    test(`${who}: ${label}, when sending and afterwards`, async (t) => {
      const server = await startTestServer(t);
      const client = await server.signIn(SENDERS[tier]);
      const wanted = settings(server.clock.now());
      // Auto-delete requires a limit, which free senders cannot set either.
      const sent = isPaid && 'autoDeleteAfterDownloads' in wanted ? { ...wanted, maxDownloads: 3 } : wanted;
      const { uploadId } = await announceFile(client, 'x', NOTHING);
      const { transfer } = await uploadFile(client, 'y', NOTHING);
      const calls = [
        () => completeFile(client, uploadId, sent),
        () => client.call(updateTransfer, { params: { id: transfer.id }, body: sent }),
      ];
      for (const call of calls) {
        if (isPaid) await call();
        else await assert.rejects(call(), isRefusalOf(label));
      }
    });

  test(`${who}: mail about downloads and views`, async (t) => {
    const client = await (await startTestServer(t)).signIn(SENDERS[tier]);
    for (const body of [{ emailOnDownload: false }, { emailOnView: true }]) {
      const change = client.call(updatePreferences, { body });
      if (isPaid) assert.partialDeepStrictEqual(await change, body);
      else await assert.rejects(change, isRefusalOf('Email about downloads and views'));
    }
  });

  test(`${tierLabel(tier)} can send exactly as many bytes per transfer and month as the plan allows`, async (t) => {
    const server = await startTestServer(t);
    // These uploads are only announced, and are larger than the disk of most machines.
    t.mock.method(server.context.blobs, 'freeSpace', async () => undefined);
    const client = await server.signIn(SENDERS[tier]);
    const { storagePerTransfer, monthlyTotal } = DEFAULT_TIER_CONFIG[tier];
    const announce = (fileSize: number) => {
      const { totalChunks } = planChunks(fileSize);
      return client.call(initUpload, { body: { fileName: 'x', fileSize, totalChunks } });
    };
    await assert.rejects(announce(storagePerTransfer + 1), { status: 413, code: 'transfer_limit_exceeded' });
    for (let used = 0; used < monthlyTotal; used += storagePerTransfer) await announce(storagePerTransfer);
    await assert.rejects(announce(1), { status: 413, code: 'monthly_limit_exceeded' });
  });
}

function isRefusalOf(label: string) {
  return ({ status, code, problem }: ApiError) => {
    const sentence = `${label} is part of the Pro plan. Upgrade to use it.`;
    assert.deepEqual([status, code, problem.detail], [402, 'tier_required', sentence]);
    return true;
  };
}
