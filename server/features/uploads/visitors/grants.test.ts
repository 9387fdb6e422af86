import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { allEndpoints } from '../../../../contracts/all-endpoints.ts';
import type { Endpoint } from '../../../../contracts/endpoint.ts';
import {
  deleteInvitation,
  toggleInvitation,
  uploadToInvitation,
} from '../../../../contracts/transfers/uploads/invitations.ts';
import { putManifest, putPictures, putSealedKey } from '../../../../contracts/transfers/uploads/uploads.ts';
import { HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { removeAccount } from '../../../../testing/calls/left-of-account.ts';
import { makeSealedManifest } from '../../../../testing/uploads/sealed-transfers.ts';
import { describeFile, makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { makeSealedKey } from '../../../../testing/visitors/sealed-deliveries.ts';
import { requestCode, startInvitation, VERA, visitInvitation } from '../../../../testing/visitors/visit.ts';
import { openVisit } from '../../../../testing/visitors/visitor-uploads.ts';
import type { Context } from '../../../context.ts';
import type { InvitationRow } from '../../../platform/db/schema.ts';
import { setVisitorCookie } from '../../invitations/visits/grants.ts';

/** All calls that accept a visitor's grant. */
const CALLS = [...allEndpoints.filter(({ access }) => access === 'uploader'), uploadToInvitation];
const BYTES = makeBytes(10);

/** The invitation is not encrypted, so these find nothing of theirs. */
const SEALED_CALLS: Endpoint[] = [putManifest, putPictures, putSealedKey];
const SEALED = makeSealedManifest();

type Opened = Awaited<ReturnType<typeof openVisit>>;
type World = Opened & { row: InvitationRow; transferId: string; uploadId: string };
type Caller = { client: Client; invitationToken?: string | undefined };

/** Starts an upload of vera's with one chunk, which has arrived. */
async function begin(t: TestContext): Promise<World> {
  const opened = await openVisit(t);
  const files = [{ path: 'x.bin', bytes: BYTES }];
  const announced = await opened.vera.announce(files);
  await opened.vera.send(announced, files);
  const row = await opened.server.context.db
    .selectFrom('uploadInvitations')
    .selectAll()
    .executeTakeFirstOrThrow();
  return { ...opened, row, transferId: announced.transferId, uploadId: announced.uploads[0]!.uploadId };
}

/** Without a valid grant in its cookies, a browser's body is not read, so an invitation named there is unknown. */
const NO_GRANT = ['visitor_not_verified', 'not_signed_in'];

/**
 * Callers without the right grant, and the errors with which each call may refuse them. A call that names nothing of
 * vera's returns nothing of hers instead.
 */
const WRONG: [who: string, find: (world: World) => Promise<Caller>, codes: string[]][] = [
  ['without a grant', async (world) => withToken(world, world.server.anonymous()), NO_GRANT],
  ['who requested a code but did not enter it', callerUnverified, NO_GRANT],
  ['with a grant signed for an unverified visit', callerUnproved, ['visitor_not_verified']],
  ['with a forged grant', callerForged, NO_GRANT],
  ['with a grant unused for an hour', callerStale, NO_GRANT],
  ['with a grant of an address verified a day ago', callerAged, ['visitor_not_verified']],
  ['with the grant of another invitation', callerFromAnother, ['visitor_not_verified']],
  [
    'who is the owner without a grant',
    async (world) => withToken(world, world.prem),
    ['visitor_not_verified'],
  ],
  ['who is signed in without a grant', callerSignedIn, ['visitor_not_verified']],
  ['with a grant, but an unknown token', callerToUnknown, ['invitation_not_found']],
  ['to a disabled invitation', callerToDisabled, ['invitation_closed']],
  ['to an expired invitation', callerToExpired, ['invitation_closed']],
  ['to a deleted invitation', callerToDeleted, ['invitation_not_found']],
  ['to an invitation of a downgraded user', callerToDowngraded, ['invitation_closed']],
  ['to an invitation of a deleted account', callerToLeft, ['invitation_not_found']],
];

for (const [who, find, codes] of WRONG)
  test(`Invitations: a visitor ${who} has no access to any upload call`, async (t) => {
    const world = await begin(t);
    const caller = await find(world);
    const before = await describeStored(world);
    for (const endpoint of CALLS)
      for (const place of placesOf(endpoint)) {
        const answer = await callAs(world, endpoint, { ...caller, place });
        const label = `${endpoint.method} ${endpoint.path} by ${place}: ${answer.status} ${answer.text}`;
        assert.ok(codes.includes(answer.code ?? ''), label);
      }
    assert.deepEqual(await describeStored(world), before);
  });

test('Invitations: neither another visitor nor the owner can reach a visitor’s uploads', async (t) => {
  const world = await begin(t);
  const tom = await visitInvitation(world.server, world.invitation.token, 'tom@example.net');
  const before = await describeStored(world);
  for (const caller of [withToken(world, tom), { client: world.prem }])
    for (const endpoint of CALLS) {
      if (endpoint === uploadToInvitation) continue;
      for (const place of placesOf(endpoint)) {
        const answer = await callAs(world, endpoint, { ...caller, place });
        const label = `${endpoint.method} ${endpoint.path}: ${answer.status} ${answer.text}`;
        const isNothing = ['[]', ''].includes(answer.text) && answer.status < 300;
        assert.ok(isNothing || /^(?:upload|transfer)_not_found$/.test(answer.code ?? ''), label);
      }
    }
  assert.deepEqual(await describeStored(world), before);
});

test('each of these calls succeeds with the right grant', async (t) => {
  for (const endpoint of CALLS)
    for (const place of placesOf(endpoint)) {
      const world = await begin(t);
      const answer = await callAs(world, endpoint, { ...withToken(world, world.vera.client), place });
      const isSealed = SEALED_CALLS.includes(endpoint);
      assert.ok(
        isSealed ? answer.code === 'not_found' : answer.status < 300,
        `${endpoint.method} ${endpoint.path} by ${place}: ${answer.text}`,
      );
    }
});

function withToken({ invitation }: World, client: Client): Caller {
  return { client, invitationToken: invitation.token };
}

async function callerUnverified(world: World): Promise<Caller> {
  const client = world.server.anonymous();
  await requestCode(world.server, client, {
    invitationToken: world.invitation.token,
    email: 'tom@example.net',
  });
  return withToken(world, client);
}

async function callerUnproved(world: World): Promise<Caller> {
  const caller = await callerUnverified(world);
  const visit = await world.server.context.db
    .selectFrom('uploadInvitationVerifications')
    .select('id')
    .where('verified', '=', 0)
    .executeTakeFirstOrThrow();
  setGrantCookie(world.server.context, caller.client, { invitation: world.row, visitId: visit.id });
  return caller;
}

async function callerForged(world: World): Promise<Caller> {
  const visit = await world.server.context.db
    .selectFrom('uploadInvitationVerifications')
    .select('id')
    .executeTakeFirstOrThrow();
  const client = world.server.anonymous();
  const foreign = { ...world.server.context, secret: 'another secret' };
  setGrantCookie(foreign, client, { invitation: world.row, visitId: visit.id });
  return withToken(world, client);
}

async function callerStale(world: World): Promise<Caller> {
  world.server.clock.advance(HOUR_MS);
  return withToken(world, world.vera.client);
}

/** With a grant that was renewed until it expired. */
async function callerAged(world: World): Promise<Caller> {
  for (let half = 0; half < 48; half += 1) {
    await world.vera.list();
    world.server.clock.advance(HOUR_MS / 2);
  }
  return withToken(world, world.vera.client);
}

async function callerFromAnother(world: World): Promise<Caller> {
  const other = await startInvitation(world.prem);
  // Advance past the limit of one code per minute.
  world.server.clock.advance(HOUR_MS / 30);
  const client = await visitInvitation(world.server, other.token, VERA);
  const [grant] = client.jar.list();
  client.jar.add({ ...grant!, name: `visitor-${world.row.id}` });
  return withToken(world, client);
}

async function callerSignedIn(world: World): Promise<Caller> {
  return withToken(world, await world.server.signIn('ada'));
}

async function callerToUnknown({ vera }: World): Promise<Caller> {
  return { client: vera.client, invitationToken: '0'.repeat(26) };
}

async function callerToDisabled(world: World): Promise<Caller> {
  await world.prem.call(toggleInvitation, { params: { id: world.row.id }, body: { isActive: false } });
  return withToken(world, world.vera.client);
}

async function callerToExpired(world: World): Promise<Caller> {
  const { db } = world.server.context;
  await db.updateTable('uploadInvitations').set({ expiresAt: world.server.clock.now() }).execute();
  return withToken(world, world.vera.client);
}

async function callerToDeleted(world: World): Promise<Caller> {
  await world.prem.call(deleteInvitation, { params: { id: world.row.id } });
  return withToken(world, world.vera.client);
}

async function callerToDowngraded(world: World): Promise<Caller> {
  const { server } = world;
  await server.context.db
    .updateTable('users')
    .set({ tier: 'pro' })
    .where('id', '=', server.userId('prem'))
    .execute();
  return withToken(world, world.vera.client);
}

async function callerToLeft(world: World): Promise<Caller> {
  await removeAccount(world.prem);
  return withToken(world, world.vera.client);
}

/** Sets the same cookie as the server. */
function setGrantCookie(
  context: Pick<Context, 'config' | 'secret' | 'clock'>,
  client: Client,
  grant: { invitation: InvitationRow; visitId: string },
): void {
  const setCookie = (name: string, value: string) => client.jar.add({ name, value, path: '/api' });
  setVisitorCookie(context, { setCookie } as unknown as FastifyReply, grant);
}

type TokenPlace = 'query' | 'body' | 'path';

/** Calls refuse unknown fields. */
function pickKnown({ body }: Endpoint, json: object): object {
  if (!(body instanceof z.ZodType)) return json;
  const unknown = (body.safeParse(json).error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [],
  );
  return Object.fromEntries(Object.entries(json).filter(([name]) => !unknown.includes(name)));
}

function placesOf(endpoint: Endpoint): TokenPlace[] {
  if (endpoint === uploadToInvitation) return ['path'];
  return endpoint.body === undefined || endpoint.body === 'stream' ? ['query'] : ['query', 'body'];
}

async function callAs(
  { transferId, uploadId }: World,
  endpoint: Endpoint,
  { client, invitationToken, place }: Caller & { place: TokenPlace },
) {
  const params: Record<string, string> = { uploadId, transferId, index: '0', token: invitationToken ?? '' };
  const token: Record<string, string> = invitationToken === undefined ? {} : { invitationToken };
  const path = endpoint.path.replace(/:(\w+)/g, (_place, name: string) => params[name]!);
  const query = {
    ...(place === 'query' && token),
    ...(endpoint.path.includes('/:transferId') && { revision: '1' }),
  };
  const search = `?${new URLSearchParams(query)}`;
  // All fields that any of these calls requires.
  const json = {
    ...describeFile('y.bin', BYTES),
    files: [describeFile('y.bin', BYTES)],
    uploadIds: [uploadId],
    indexes: [0],
    parts: [{ index: 0, crc32: 0 }],
    transferId,
    fileCount: 1,
    sealedKey: makeSealedKey(),
    ...(place === 'body' && token),
  };
  // A file that completes must keep its name.
  if (endpoint.path.includes('/complete/')) json.fileName = 'x.bin';
  const response = await client.fetch(path + search, {
    method: endpoint.method,
    ...bodyOf(endpoint, pickKnown(endpoint, json)),
  });
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  return { status: response.status, text, code: isProblem ? (JSON.parse(text).code as string) : undefined };
}

function bodyOf(endpoint: Endpoint, json: object): RequestInit {
  const accept = 'application/json';
  if (endpoint === uploadToInvitation) {
    const form = new FormData();
    form.append('files', new Blob([new Uint8Array(BYTES)]), 'y.bin');
    return { headers: { accept }, body: form };
  }
  if (endpoint.body === undefined) return { headers: { accept } };
  const type = endpoint.body === 'stream' ? 'application/octet-stream' : 'application/json';
  const bytes = SEALED_CALLS.includes(endpoint) ? SEALED : BYTES;
  const body = endpoint.body === 'stream' ? new Uint8Array(bytes) : JSON.stringify(json);
  return { headers: { accept, 'content-type': type }, body };
}

/** All uploads, transfers and files, and vera's chunk. */
async function describeStored({ server: { context } }: World) {
  const { db } = context;
  const transfers = await db.selectFrom('transfers').selectAll().orderBy('id').execute();
  const uploads = await db.selectFrom('uploads').selectAll().orderBy('id').execute();
  const files = await db.selectFrom('files').selectAll().execute();
  const chunks = await Promise.all(uploads.map((upload) => context.blobs.listChunks(upload)));
  return JSON.stringify({ transfers, uploads, files, chunks });
}
