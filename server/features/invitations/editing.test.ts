import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULT_TIER_CONFIG } from '../../../contracts/plans/tiers.ts';
import {
  createInvitation,
  getInvitationDetails,
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
import { TIER_CONFIG_KEY } from '../tiers/tiers.ts';

const { storagePerTransfer } = DEFAULT_TIER_CONFIG.premium;
const UNKNOWN = '0'.repeat(26);

const create = (client: Client, body: object) => client.call(createInvitation, { body });
const update = (client: Client, id: string, body: object) =>
  client.call(updateInvitation, { params: { id }, body });
const toggle = (client: Client, id: string, isActive: boolean) =>
  client.call(toggleInvitation, { params: { id }, body: { isActive } });
const details = (client: Client, token: string) => client.call(getInvitationDetails, { params: { token } });

test('an invitation’s own limits replace the plan’s, but cannot exceed them', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const made = await create(prem, {
    title: 'Pictures',
    maxFileSize: 1_000,
    maxTotalSize: storagePerTransfer + 1,
    maxFiles: 3,
    allowedTypes: '.PDF, *.jpg jpg; tar.gz',
    isRecurring: true,
  });
  const allowed = {
    maxFileSize: 1_000,
    maxTotalSize: storagePerTransfer,
    maxFiles: 3,
    allowedTypes: ['pdf', 'jpg', 'tar.gz'],
  };
  assert.partialDeepStrictEqual(made, {
    ...allowed,
    hasOwnFileSize: true,
    hasOwnTotalSize: true,
    isRecurring: true,
  });
  assert.partialDeepStrictEqual(await details(server.anonymous(), made.token), allowed);
});

test('changed plan limits apply to invitations from the next call on', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { token } = await startInvitation(prem, { maxFileSize: 5_000 });
  const premium = { ...DEFAULT_TIER_CONFIG.premium, storagePerTransfer: 2_000 };
  await server.context.db
    .insertInto('settings')
    .values({
      id: randomId(),
      key: TIER_CONFIG_KEY,
      value: JSON.stringify({ ...DEFAULT_TIER_CONFIG, premium }),
      updatedAt: server.clock.now(),
    })
    .execute();
  const expected = { maxFileSize: 2_000, maxTotalSize: 2_000 };
  assert.partialDeepStrictEqual(await details(server.anonymous(), token), expected);
  assert.partialDeepStrictEqual((await prem.call(listInvitations))[0], expected);
});

test('an edit keeps absent fields, removes null and empty ones, and counts days from now', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const made = await startInvitation(prem, {
    message: 'Please',
    maxFileSize: 1_000,
    maxTotalSize: 2_000,
    maxFiles: 3,
    totalFilesLimit: 9,
    totalBytesLimit: 8_000,
    allowedTypes: ['pdf'],
    isRecurring: true,
  });
  server.clock.advance(DAY_MS);
  assert.deepEqual(await update(prem, made.id, {}), made);
  assert.deepEqual(await update(prem, made.id, { title: ' New ' }), { ...made, title: 'New' });
  assert.equal((await update(prem, made.id, { message: null })).message, null);
  await update(prem, made.id, { message: 'Again' });
  assert.equal((await update(prem, made.id, { message: ' ' })).message, null);
  const { expiresAt } = await update(prem, made.id, { expirationDays: 2 });
  assert.equal(expiresAt, toIso(server.clock.now() + 2 * DAY_MS));
  const bare = await update(prem, made.id, {
    maxFileSize: null,
    maxTotalSize: null,
    totalFilesLimit: null,
    totalBytesLimit: null,
    allowedTypes: [],
    isRecurring: false,
    maxFiles: 100,
  });
  assert.deepEqual(bare, {
    ...made,
    title: 'New',
    message: null,
    expiresAt,
    maxFileSize: storagePerTransfer,
    maxTotalSize: storagePerTransfer,
    hasOwnFileSize: false,
    hasOwnTotalSize: false,
    totalFilesLimit: null,
    totalBytesLimit: null,
    allowedTypes: [],
    isRecurring: false,
    maxFiles: 100,
  });
  assert.deepEqual(await prem.call(listInvitations), [bare]);
  for (const body of [{ title: '' }, { title: null }, { maxFiles: null }, { expirationDays: 91 }])
    await assert.rejects(update(prem, made.id, body), { status: 400, code: 'invalid_input' });
});

test('a request body with id, token, owner or times is refused', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const body = {
    title: 'x',
    id: UNKNOWN,
    token: UNKNOWN,
    senderId: server.userId('ada'),
    createdAt: 0,
    expiresAt: '2099-01-01T00:00:00Z',
    isActive: false,
  };
  await assert.rejects(create(prem, body), { status: 400 });
  assert.deepEqual(await prem.call(listInvitations), []);
  const made = await create(prem, { title: 'x' });
  await assert.rejects(update(prem, made.id, body), { status: 400 });
  assert.deepEqual(await prem.call(listInvitations), [made]);
});

test('Invitations: active or inactive, toggled by a switch', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { id, token } = await startInvitation(prem);
  assert.equal((await toggle(prem, id, false)).isActive, false);
  assert.equal((await prem.call(listInvitations))[0]!.isActive, false);
  await assert.rejects(details(server.anonymous(), token), { status: 410, code: 'invitation_closed' });
  assert.equal((await toggle(prem, id, true)).isActive, true);
  await details(server.anonymous(), token);
});

test('an expired invitation is listed as expired, and reopens when extended', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { id, token } = await startInvitation(prem, { expirationDays: 1 });
  server.clock.advance(DAY_MS);
  assert.equal((await prem.call(listInvitations))[0]!.isExpired, true);
  await assert.rejects(details(server.anonymous(), token), { status: 410, code: 'invitation_closed' });
  assert.equal((await update(prem, id, { expirationDays: 1 })).isExpired, false);
  await details(server.anonymous(), token);
});
