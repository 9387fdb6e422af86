import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import { DEFAULT_TIER_CONFIG } from '../../../contracts/plans/tiers.ts';
import {
  createInvitation,
  deleteInvitation,
  getInvitationDetails,
  listArrivals,
  listInvitations,
  toggleInvitation,
  updateInvitation,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { startInvitation } from '../../../testing/visitors/visit.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';

const { storagePerTransfer } = DEFAULT_TIER_CONFIG.premium;
const UNKNOWN = '0'.repeat(26);

const create = (client: Client, body: object) => client.call(createInvitation, { body });
const update = (client: Client, id: string, body: object) =>
  client.call(updateInvitation, { params: { id }, body });
const toggle = (client: Client, id: string, isActive: boolean) =>
  client.call(toggleInvitation, { params: { id }, body: { isActive } });
const remove = (client: Client, id: string) => client.call(deleteInvitation, { params: { id } });
const arrivals = (client: Client, id: string) => client.call(listArrivals, { params: { id } });
const details = (client: Client, token: string) => client.call(getInvitationDetails, { params: { token } });

test('POST and GET /api/upload-invitations: title, message and days; the plan decides the rest', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  assert.deepEqual(await prem.call(listInvitations), []);
  const answer = await prem.fetch('/api/upload-invitations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: '  Pictures ', message: ' Please send all. ', expirationDays: 7 }),
  });
  assert.equal(answer.status, 201);
  const { id, token, ...rest } = (await answer.json()) as { id: string; token: string };
  const now = server.clock.now();
  assert.deepEqual(rest, {
    title: 'Pictures',
    message: 'Please send all.',
    expiresAt: toIso(now + 7 * DAY_MS),
    createdAt: toIso(now),
    isActive: true,
    isExpired: false,
    isRecurring: false,
    maxFileSize: storagePerTransfer,
    maxTotalSize: storagePerTransfer,
    maxFiles: 100,
    totalFilesLimit: null,
    totalBytesLimit: null,
    hasOwnFileSize: false,
    hasOwnTotalSize: false,
    allowedTypes: [],
    encryption: null,
    arrivals: { transfers: 0, files: 0, bytes: 0 },
    usedFiles: 0,
    usedBytes: 0,
  });
  assert.notEqual(id, token);
  server.clock.advance(1);
  const newer = await create(prem, { title: 'Newer' });
  assert.deepEqual(await prem.call(listInvitations), [newer, { id, token, ...rest }]);
  assert.deepEqual(await (await server.signIn('ada')).call(listInvitations), []);
});

test('Invitation creation: a title, an optional message and 1 to 90 whole days, 30 by default', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { message, expiresAt } = await create(prem, { title: 'Pictures', message: '  ' });
  assert.deepEqual([message, expiresAt], [null, toIso(server.clock.now() + 30 * DAY_MS)]);
  for (const expirationDays of [1, 90]) await create(prem, { title: 'Pictures', expirationDays });
  const wrong: [body: object, field: string, sentence: string][] = [
    [{}, 'title', 'Required'],
    [{ title: '' }, 'title', 'Title is required'],
    [{ title: '   ' }, 'title', 'Title is required'],
    [{ title: 'x'.repeat(201) }, 'title', 'Please use at most 200 characters.'],
    [{ title: 'x', message: 'x'.repeat(5_001) }, 'message', 'Please use at most 5000 characters.'],
    [{ title: 'x', expirationDays: 0 }, 'expirationDays', 'Please enter at least 1 day'],
    [{ title: 'x', expirationDays: 91 }, 'expirationDays', 'Please enter at most 90 days'],
    [{ title: 'x', expirationDays: 1.5 }, 'expirationDays', 'Please enter a whole number of days'],
    [{ title: 'x', maxFileSize: 0 }, 'maxFileSize', 'The limit must be at least 1 byte'],
    [{ title: 'x', maxFiles: 0 }, 'maxFiles', 'Please allow at least 1 file'],
    [{ title: 'x', totalFilesLimit: 0 }, 'totalFilesLimit', 'Please allow at least 1 file'],
    [{ title: 'x', totalBytesLimit: 0 }, 'totalBytesLimit', 'The limit must be at least 1 byte'],
    [{ title: 'x', allowedTypes: '../x' }, 'allowedTypes', 'Please enter file types like pdf, jpg, docx'],
  ];
  for (const [body, field, sentence] of wrong)
    await assert.rejects(create(prem, body), ({ status, problem }: ApiError) => {
      const [name, said] = Object.entries(problem.errors ?? {})[0]!;
      assert.equal(status, 400);
      assert.ok(name.startsWith(field), name);
      if (body !== wrong[0]![0]) assert.equal(said, sentence);
      return true;
    });
});

test('Public invitation details: title, senderName, message, maxFileSize, maxFiles, maxTotalSize', async (t) => {
  const server = await startTestServer(t);
  const { token, expiresAt } = await startInvitation(await server.signIn('prem'), { message: 'Please' });
  const visitor = server.anonymous();
  assert.deepEqual(await details(visitor, token), {
    title: 'Studio pictures',
    senderName: 'Prem Premium',
    message: 'Please',
    maxFileSize: storagePerTransfer,
    maxFiles: 100,
    maxTotalSize: storagePerTransfer,
    remaining: { files: 100, bytes: storagePerTransfer },
    allowedTypes: [],
    encryption: null,
    expiresAt,
    visitor: null,
  });
  const plain = await visitor.fetch(`/api/upload-invitations/${UNKNOWN}/details`);
  assert.deepEqual(
    [plain.status, await plain.text()],
    [404, 'This invitation link is invalid, expired, or has been disabled.'],
  );
  assert.deepEqual(visitor.jar.list(), []);
});

test('Premium only: upload invitations; every call refuses free and pro users with 402', async (t) => {
  const server = await startTestServer(t);
  const { id } = await startInvitation(await server.signIn('prem'));
  for (const name of ['frida', 'paula'] as const) {
    const client = await server.signIn(name);
    const calls = [
      () => client.call(listInvitations),
      () => create(client, { title: 'x' }),
      () => update(client, id, { title: 'x' }),
      () => toggle(client, id, false),
      () => remove(client, id),
      () => arrivals(client, id),
    ];
    for (const call of calls)
      await assert.rejects(call(), ({ status, code, problem }: ApiError) => {
        const sentence = 'Inviting others to upload is part of the Premium plan. Upgrade to use it.';
        assert.deepEqual([status, code, problem.detail], [402, 'tier_required', sentence]);
        return true;
      });
  }
});

test('administrators have no special access to other users’ invitations', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const mine = await startInvitation(prem);
  const ada = await server.signIn('ada');
  for (const id of [mine.id, UNKNOWN])
    for (const call of [
      () => update(ada, id, { title: 'Hers' }),
      () => toggle(ada, id, false),
      () => remove(ada, id),
      () => arrivals(ada, id),
    ])
      await assert.rejects(call(), { status: 404, code: 'invitation_not_found' });
  assert.deepEqual(await prem.call(listInvitations), [mine]);
});

test('a user has at most 500 invitations, even with parallel calls', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const now = server.clock.now();
  const rows = Array.from({ length: 497 }, () => ({
    id: randomId(),
    token: randomId(),
    senderId: server.userId('prem'),
    title: 'x',
    expiresAt: now,
    createdAt: now,
  }));
  await server.context.db.insertInto('uploadInvitations').values(rows).execute();
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => create(prem, { title: 'x' })));
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  assert.equal(refused.length, 5);
  for (const { status, code, problem } of refused as ApiError[]) {
    const sentence = 'You have 500 upload invitations. Please delete some of them first.';
    assert.deepEqual([status, code, problem.detail], [409, 'too_many_invitations', sentence]);
  }
  assert.equal((await prem.call(listInvitations)).length, 500);
  await startInvitation(await server.signIn('ada'));
  await remove(prem, rows[0]!.id);
  await create(prem, { title: 'x' });
});
