import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { createWebhook } from '../../contracts/accounts/webhooks.ts';
import { allEndpoints } from '../../contracts/all-endpoints.ts';
import { type Endpoint, isForAdmins } from '../../contracts/endpoint.ts';
import type { Problem } from '../../contracts/errors.ts';
import { createSubscription } from '../../contracts/plans/billing.ts';
import { ADMIN_CALLS } from '../../testing/calls/admin-calls.ts';
import type { Client } from '../../testing/calls/client.ts';
import {
  HOSTILE_BODIES,
  HOSTILE_SEGMENTS,
  HOSTILE_VALUES,
  JSON_TYPE,
} from '../../testing/calls/hostile-input.ts';
import { CAST, PASSWORD } from '../../testing/cast.ts';
import { createReadyTransfer } from '../../testing/factories.ts';
import { isShortRun } from '../../testing/lib/only-in-all.ts';
import { createCoupon } from '../../testing/payments/coupons.ts';
import { startTestServer } from '../../testing/test-context.ts';
import { describeSealed, fileIdOf, makeAccess, makeSealed } from '../../testing/uploads/sealed-transfers.ts';
import { announceFile } from '../../testing/uploads/upload-files.ts';
import { makeSealedKey } from '../../testing/visitors/sealed-deliveries.ts';
import { startInvitation, VERA, visitInvitation } from '../../testing/visitors/visit.ts';
import { signUnsubscribe } from '../platform/mail/opt-outs.ts';

const CLIENT_DATA = Buffer.from('{"type":"webauthn.get","challenge":"AAAA"}').toString('base64url');
const PASSKEY = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', authenticatorAttachment: 'platform' };
const ASSERTION = {
  ...PASSKEY,
  response: { clientDataJSON: CLIENT_DATA, authenticatorData: 'AAAA', signature: 'AAAA', userHandle: 'AAAA' },
};
const ATTESTATION = {
  ...PASSKEY,
  response: { clientDataJSON: CLIENT_DATA, attestationObject: 'oA', transports: ['usb'] },
};

/** A valid body for each call, so that the code behind each field is reached when one field is wrong. */
const GOOD_BODIES: Record<string, (own: Own) => object> = {
  'POST /api/login': () => ({ username: CAST.prem.username, password: PASSWORD }),
  'POST /api/login/second-factor': () => ({ method: 'totp', code: '000000' }),
  'POST /api/login/passkey': () => ({ response: ASSERTION }),
  'POST /api/user/passkeys': () => ({ response: ATTESTATION }),
  'PATCH /api/user/passkeys/:id': () => ({ name: 'Laptop' }),
  'POST /api/reauthenticate': () => ({ method: 'password', password: PASSWORD }),
  'POST /api/user/totp/confirm': () => ({ code: '000000' }),
  'POST /api/login/link/request': () => ({ email: CAST.prem.email }),
  'POST /api/login/link': () => ({ token: '0'.repeat(26) }),
  'POST /api/sign-in/sso': () => ({ email: CAST.prem.email, returnTo: '/dashboard' }),
  'POST /api/user/identities': () => ({ providerId: '0'.repeat(26) }),
  'POST /api/reauthenticate/sso': () => ({ identityId: '0'.repeat(26), returnTo: '/dashboard' }),
  'POST /api/register': () => ({
    name: 'Nora New',
    username: 'nora',
    email: 'nora@example.org',
    password: PASSWORD,
  }),
  'POST /api/register/invitation': () => ({ token: '0'.repeat(26) }),
  'POST /api/verify-email': () => ({ code: '000000' }),
  'PATCH /api/user/profile': () => ({
    name: 'Prem',
    email: CAST.prem.email,
    currentPassword: PASSWORD,
    newPassword: PASSWORD,
  }),
  'POST /api/account/secure': () => ({ token: '0'.repeat(26) }),
  'POST /api/email-change/undo': () => ({ token: '0'.repeat(26) }),
  'PATCH /api/user/preferences': () => ({
    emailOnDownload: true,
    emailOnView: true,
    emailOnExpiry: true,
    emailOnReopenRequest: true,
  }),
  'POST /api/user/sign-out-everywhere': () => ({ apiKeys: true, webhooks: true, keepThis: true }),
  'DELETE /api/user': () => ({ password: 'not the password' }),
  'POST /api/password-reset/request': () => ({ email: CAST.prem.email }),
  'POST /api/password-reset/confirm': () => ({ token: '0'.repeat(26), password: PASSWORD }),
  'PATCH /api/transfers/:id': () => ({ ...SETTINGS, expirationDays: 7, expiresAt: '2040-01-01T00:00:00Z' }),
  'POST /api/transfers/:id/publish': () => ({ expectedFiles: 1, title: 'Early', expirationDays: 2 }),
  'POST /api/transfers/:id/updates/changes': ({ draftId }) => ({
    removed: [draftId],
    reused: [{ fileId: draftId, relativePath: 'notes/renamed.txt' }],
  }),
  'POST /api/transfers/:id/updates/publish': () => ({ version: 1 }),
  'POST /api/transfers/:id/resend': () => ({ recipientEmails: ['rex@example.org'] }),
  'POST /api/transfers/batch-delete': ({ transferId }) => ({ transferIds: [transferId], undoable: true }),
  'POST /api/transfers/batch-restore': ({ transferId }) => ({ transferIds: [transferId] }),
  'POST /api/transfers/batch-extend': ({ transferId }) => ({ transferIds: [transferId], expirationDays: 7 }),
  'POST /api/upload/init': () => ({
    ...describeSealed(fileIdOf('x'), makeSealed(1)),
    transferId: null,
    encryption: makeAccess().encryption,
  }),
  'POST /api/upload/init-many': ({ transferId }) => ({ transferId, files: [FILE] }),
  'PUT /api/upload/sealed-key/:transferId': () => ({ sealedKey: makeSealedKey() }),
  'POST /api/upload/:uploadId/parts': () => ({ parts: [{ index: 0, crc32: 1 }] }),
  'POST /api/upload/:uploadId/parts/done': () => ({ indexes: [0] }),
  'POST /api/upload/abort-many': () => ({ uploadIds: ['0'.repeat(26)] }),
  'POST /api/upload/complete/:uploadId': ({ draftId }) => ({
    ...SETTINGS,
    transferId: draftId,
    fileCount: 1,
    fileName: 'x',
    mimeType: 'text/plain',
  }),
  'POST /api/upload/complete-many': ({ draftId, uploadId }) => ({
    ...SETTINGS,
    transferId: draftId,
    uploadIds: [uploadId],
    fileCount: 1,
  }),
  'POST /api/api-keys': () => ({ name: 'Key', scopes: ['read'], expiresAt: '2040-01-01T00:00:00Z' }),
  'PATCH /api/api-keys/:id': () => ({ name: 'Key', isActive: true }),
  'POST /api/upload-invitations': () => INVITATION,
  'PATCH /api/upload-invitations/:id': () => INVITATION,
  'PATCH /api/upload-invitations/:id/toggle': () => ({ isActive: true }),
  'POST /api/upload-invitations/:token/send-verification': () => ({ email: VERA }),
  'POST /api/upload-invitations/:token/verify': () => ({ email: VERA, code: '000000' }),
  'POST /api/push/subscriptions': () => ({
    endpoint: 'https://93.184.216.34/send/abc',
    keys: {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    events: ['first-download', 'received'],
  }),
  'POST /api/pickup': () => ({ code: 'KVX RMD' }),
  'POST /api/webhooks': () => WEBHOOK,
  'PATCH /api/webhooks/:id': () => ({ ...WEBHOOK, isActive: true }),
  'POST /api/ads/:id/events': () => ({ event: 'view' }),
  'POST /api/coupons/check': () => ({ code: 'HALF', tier: 'pro' }),
  'POST /api/demo-payments/confirm': ({ clientSecret }) => ({
    clientSecret,
    cardNumber: '4242424242424242',
    expiry: '12/39',
    cvc: '123',
  }),
  'POST /api/download/:token/verify': () => ({ password: 'secret' }),
  'POST /api/create-subscription': () => ({ tier: 'pro', couponCode: 'HALF' }),
  'POST /api/change-subscription': () => ({ tier: 'pro' }),
  'POST /api/download/:token/arrival-notices': () => ({ email: 'rex@example.org' }),
  'POST /api/download/:token/reopen-requests': () => ({ note: 'Please' }),
  'POST /api/download/:token/report': () => ({
    reason: 'other',
    details: 'Details',
    email: 'rex@example.org',
  }),
};

const SETTINGS = {
  title: 'Title',
  message: 'Message',
  recipientEmails: ['rex@example.org'],
  expirationDays: 7,
  password: 'secret',
  maxDownloads: 9,
  autoDeleteAfterDownloads: false,
  scheduledAvailableAt: '2020-01-01T00:00:00Z',
};
const INVITATION = {
  title: 'Title',
  message: 'Message',
  expirationDays: 30,
  maxFileSize: 1_000,
  maxTotalSize: 2_000,
  maxFiles: 3,
  allowedTypes: ['pdf'],
  isRecurring: true,
};
const WEBHOOK = { url: 'https://93.184.216.34/hook', events: ['transfer.ready'], description: 'Archive' };
const FILE = { fileName: 'x', fileSize: 0, totalChunks: 0, mimeType: 'text/plain', relativePath: 'a/x' };

type Own = {
  client: Client;
  transferId: string;
  draftId: string;
  uploadId: string;
  invitationToken: string;
  /** The client secret of a payment that waits for confirmation. */
  clientSecret: string;
  places: Places;
  /** Makes the client an administrator, creates the object of the call and returns a valid body. */
  administer(endpoint: Endpoint): Promise<object | undefined>;
};
type Places = Record<string, string>;

for (const [number, endpoint] of allEndpoints.entries()) {
  const name = `${endpoint.method} ${endpoint.path}`;
  test(`no input causes a 500 or a refusal without a message: ${name}`, async (t) => {
    const own = await open(t);
    const good = isForAdmins(endpoint.access) ? await own.administer(endpoint) : GOOD_BODIES[name]?.(own);
    await tryFields(own, endpoint, { good, number });
    await tryBodies(own, endpoint, number);
    await tryAddresses(own, endpoint, number);
    await tryCookies(own, endpoint, number);
  });
}

test('a malformed or overlong path is refused with a message', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const cases: [address: string, status: number, sentence: string][] = [
    ['/api/download/%E0%A4%A', 400, 'The request could not be understood.'],
    [`/api/download/${'x'.repeat(600)}`, 404, 'This transfer may have expired or been deleted.'],
  ];
  for (const [address, status, sentence] of cases) {
    const answer = await client.fetch(address);
    assert.deepEqual([answer.status, await answer.text()], [status, sentence]);
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  }
});

async function tryFields(
  own: Own,
  endpoint: Endpoint,
  { good, number }: { good: object | undefined; number: number },
): Promise<void> {
  if (endpoint.body === undefined || endpoint.body === 'stream') return;
  assert.ok(good, 'a new call needs a good body in this test');
  const visitors = endpoint.access === 'uploader' ? ['invitationToken'] : [];
  for (const [index, field] of [...Object.keys(good), ...visitors].entries()) {
    for (const value of [undefined, ...someOf(HOSTILE_VALUES, number + index)]) {
      const body = JSON.stringify({ ...good, [field]: value });
      await requireAnAnswer(own, endpoint, { body, label: body.slice(0, 200) });
    }
  }
}

const HOSTILE_COOKIES = ['', '%00', '%', 'é', '"', 'x'.repeat(4_000), '{}'];

/**
 * In a short run, a quarter of the values. The quarter differs by call and field, so that each value is tried
 * somewhere.
 */
function someOf<Value>(values: Value[], first: number): Value[] {
  return isShortRun ? values.filter((_value, index) => (index + first) % 4 === 0) : values;
}

async function tryBodies(own: Own, endpoint: Endpoint, number: number): Promise<void> {
  if (endpoint.method === 'GET' || endpoint.method === 'HEAD') return;
  for (const [type, body] of someOf(HOSTILE_BODIES, number))
    await requireAnAnswer(own, endpoint, { body, type, label: `${type} ${body.slice(0, 60)}` });
}

async function tryAddresses(own: Own, endpoint: Endpoint, number: number): Promise<void> {
  for (const text of someOf(HOSTILE_SEGMENTS, number)) {
    if (endpoint.params) await requireAnAnswer(own, endpoint, { segment: text, label: text.slice(0, 60) });
    for (const search of endpoint.query ? searchesWith(text) : [])
      await requireAnAnswer(own, endpoint, { search, label: search.slice(0, 60) });
  }
}

async function tryCookies(own: Own, endpoint: Endpoint, number: number): Promise<void> {
  const isVisit = (name: string) => endpoint.access === 'uploader' && name.startsWith('visitor-');
  for (const { name, path } of own.client.jar.list())
    for (const value of someOf(HOSTILE_COOKIES, number)) {
      const search = isVisit(name) ? `?invitationToken=${own.invitationToken}` : '';
      const label = `${name} ${value.slice(0, 60)}`;
      await requireAnAnswer(own, endpoint, { cookie: { name, value, path }, search, label });
    }
}

/**
 * Signs in a Premium user with objects of each kind, so that calls get past the ID checks. Each test has its own
 * server because calls may delete them.
 */
async function open(t: TestContext): Promise<Own> {
  const server = await startTestServer(t, { RATE_LIMIT: 'off' });
  const client = await server.signIn('prem');
  const { id, token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('prem'),
    files: [{ path: 'a.txt', bytes: 'a' }],
    password: 'secret',
  });
  const { uploadId, transferId: draftId } = await announceFile(client, 'x', Buffer.alloc(0));
  await createCoupon(server.context);
  const { clientSecret } = await client.call(createSubscription, {
    body: { tier: 'pro', couponCode: 'HALF' },
  });
  const unsubscribing = { email: 'rex@example.org', scope: 'transfers' } as const;
  const invitation = await startInvitation(client);
  const visitor = await visitInvitation(server, invitation.token);
  for (const cookie of visitor.jar.list()) client.jar.add(cookie);
  const webhook = await client.call(createWebhook, { body: WEBHOOK });
  const places: Places = {
    '/api/webhooks': webhook.id,
    '/api/upload-invitations': invitation.id,
    '/api/upload-invitations/:token': invitation.token,
    '/api/transfers': id,
    '/api/download': token,
    '/api/upload': uploadId,
    '/api/upload/chunk': uploadId,
    '/api/upload/complete': uploadId,
    '/api/unsubscribe': signUnsubscribe(server.context, unsubscribing),
    file: files[0]!.id,
  };
  const invitationToken = invitation.token;
  const administer = async ({ method, path }: Endpoint) => {
    await server.context.db
      .updateTable('users')
      .set({ isAdmin: 1 })
      .where('id', '=', server.userId('prem'))
      .execute();
    const wanted = await ADMIN_CALLS[`${method} ${path}`]?.({ server, ada: client });
    if (wanted?.params) places[path.split('/:')[0]!] = wanted.params.id!;
    return wanted?.body;
  };
  return { client, transferId: id, draftId, uploadId, clientSecret, invitationToken, places, administer };
}

type Attempt = {
  label: string;
  body?: string | Uint8Array<ArrayBuffer>;
  type?: string;
  segment?: string;
  search?: string;
  cookie?: { name: string; value: string; path: string };
};

/** Asserts that the status is below 500 and that a refusal is one sentence without internal details. */
async function requireAnAnswer({ client, places }: Own, endpoint: Endpoint, attempt: Attempt): Promise<void> {
  const { label, body, type = JSON_TYPE, segment, search = '', cookie } = attempt;
  const kept = client.jar.list();
  if (cookie) client.jar.add(cookie);
  const response = await client.fetch(pathOf(endpoint, places, segment) + search, {
    method: endpoint.method,
    headers: { accept: JSON_TYPE, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  // Signing out must not affect later attempts.
  client.jar.clear();
  for (const each of kept) client.jar.add(each);
  const where = `${label}: ${response.status} ${text.slice(0, 300)}`;
  assert.ok(response.status < 500, where);
  // The response to a refused HEAD has no body.
  if (response.status < 400 || endpoint.method === 'HEAD') return;
  const { status, detail, code } = JSON.parse(text) as Problem;
  assert.equal(status, response.status, where);
  assert.ok(code && /^[^\n{}[\]]{4,300}$/.test(detail) && !/undefined|zod|sql/i.test(detail), where);
}

function pathOf({ path }: Endpoint, places: Places, segment?: string): string {
  return path.replace(/:(\w+)/g, (_place, name: string, start: number) => {
    if (segment !== undefined) return segment;
    if (name === 'index') return '0';
    const before = name === 'fileId' ? 'file' : path.slice(0, start - 1);
    return places[`${before}/:${name}`] ?? places[before] ?? '0'.repeat(26);
  });
}

const QUERY_KEYS = [
  ...['r', 'invitationToken', 'search', 'sort', 'state', 'limit', 'cursor'],
  ...['tier', 'role', 'owner', 'minBytes', 'maxBytes', 'action'],
];

function searchesWith(text: string): string[] {
  return [...QUERY_KEYS, '__proto__'].flatMap((key) => [
    `?${key}=${text}`,
    `?${key}=${text}&${key}=${text}`,
    `?${key}[x]=${text}`,
  ]);
}
