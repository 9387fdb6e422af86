import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { allEndpoints } from '../../../../contracts/all-endpoints.ts';
import type { Endpoint } from '../../../../contracts/endpoint.ts';
import {
  getInvitationDetails,
  type Invitation,
} from '../../../../contracts/transfers/uploads/invitations.ts';
import { listUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { startInvitation, VERA, visitInvitation } from '../../../../testing/visitors/visit.ts';

type Stage = { server: TestServer; owner: Client; invitation: Invitation; visitor: Client };

/** All calls that a visitor's grant gives access to. */
const VISITORS_CALLS = allEndpoints.filter(({ access }) => access === 'uploader');

async function setStage(t: TestContext): Promise<Stage> {
  const server = await startTestServer(t);
  const owner = await server.signIn('prem');
  const invitation = await startInvitation(owner);
  return { server, owner, invitation, visitor: await visitInvitation(server, invitation.token) };
}

/** Status and error sentence of one call, with the token where this call expects it. */
async function callAs(client: Client, { method, path, body }: Endpoint, token: string, place = 'query') {
  const address = path.replace(/:(\w+)/g, (_place, name: string) =>
    name === 'index' ? '0' : '0'.repeat(26),
  );
  const isJson = body !== undefined && body !== 'stream';
  const inBody = place === 'body' && isJson;
  const answer = await client.fetch(inBody ? address : `${address}?invitationToken=${token}`, {
    method,
    ...(body !== undefined && {
      body: inBody ? JSON.stringify({ invitationToken: token }) : isJson ? '{}' : 'x',
      headers: { 'content-type': isJson ? 'application/json' : 'application/octet-stream' },
    }),
  });
  return { status: answer.status, sentence: await answer.text() };
}

const NOT_VERIFIED = { status: 401, sentence: 'Please verify your email address first.' };
/** A browser without any grant is refused before its body, which names the invitation, is read. */
const NOT_READ = { status: 401, sentence: 'Please sign in first.' };

async function requireAll(
  client: Client,
  token: string,
  expected: { status: number; sentence: string },
): Promise<void> {
  assert.ok(VISITORS_CALLS.length >= 8);
  for (const endpoint of VISITORS_CALLS)
    for (const place of ['query', 'body']) {
      const answer = await callAs(client, endpoint, token, place);
      const isUnread = place === 'body' && expected === NOT_VERIFIED && answer.sentence === NOT_READ.sentence;
      const where = `${endpoint.method} ${endpoint.path}, token in the ${place}`;
      assert.deepEqual(answer, isUnread ? NOT_READ : expected, where);
    }
}

test('a visitor’s grant gives access to all upload calls and nothing else', async (t) => {
  const { visitor, invitation } = await setStage(t);
  for (const endpoint of allEndpoints) {
    const { status, sentence } = await callAs(visitor, endpoint, invitation.token);
    const where = `${endpoint.method} ${endpoint.path}: ${status} ${sentence}`;
    assert.ok(status < 500, where);
    if (endpoint.access === 'uploader') assert.ok(status !== 401 && status !== 403, where);
    else if (endpoint.access !== 'public') assert.equal(status, 401, where);
  }
});

test('a grant of another invitation gives access to no call, even under this one’s name', async (t) => {
  const { server, owner, invitation, visitor } = await setStage(t);
  const other = await startInvitation(owner);
  await requireAll(visitor, other.token, NOT_VERIFIED);
  const { value } = visitor.jar.list()[0]!;
  visitor.jar.add({ name: `visitor-${other.id}`, value, path: '/api' });
  await requireAll(visitor, other.token, NOT_VERIFIED);
  assert.equal((await details(visitor, other)).visitor, null);
  assert.deepEqual((await details(visitor, invitation)).visitor, { email: VERA });
  const foreign = await startInvitation(await server.signIn('ada'));
  await requireAll(visitor, foreign.token, NOT_VERIFIED);
});

test('a forged grant gives access to no call', async (t) => {
  const { visitor, invitation, server } = await setStage(t);
  const cookie = visitor.jar.list()[0]!;
  const { value } = cookie;
  const { id } = await server.context.db
    .selectFrom('uploadInvitationVerifications')
    .select('id')
    .executeTakeFirstOrThrow();
  const forged = [
    '',
    id,
    `${value}x`,
    value.slice(0, -2),
    value.replace(/\d/, (digit) => `${9 - Number(digit)}`),
  ];
  for (const each of forged) {
    const forger = server.anonymous();
    forger.jar.add({ ...cookie, value: each });
    assert.equal((await details(forger, invitation)).visitor, null, each);
    await requireAll(forger, invitation.token, NOT_VERIFIED);
  }
});

test('a grant lasts an hour, is renewed by use, and expires a day after the code', async (t) => {
  const { server, visitor, invitation } = await setStage(t);
  const query = { invitationToken: invitation.token };
  const idle = server.anonymous();
  for (const cookie of visitor.jar.list()) idle.jar.add(cookie);
  for (let passed = 0; passed < DAY_MS - 40 * MINUTE_MS; passed += 40 * MINUTE_MS) {
    await visitor.call(listUploads, { query });
    server.clock.advance(40 * MINUTE_MS);
  }
  await visitor.call(listUploads, { query });
  await requireAll(idle, invitation.token, NOT_VERIFIED);
  server.clock.advance(40 * MINUTE_MS);
  await requireAll(visitor, invitation.token, NOT_VERIFIED);
  assert.equal((await details(visitor, invitation)).visitor, null);
});

test('an unused grant expires after an hour', async (t) => {
  const { server, visitor, invitation } = await setStage(t);
  server.clock.advance(HOUR_MS - 1);
  assert.deepEqual((await details(visitor, invitation)).visitor, { email: VERA });
  server.clock.advance(1);
  assert.equal((await details(visitor, invitation)).visitor, null);
  await requireAll(visitor, invitation.token, NOT_VERIFIED);
});

function details(client: Client, { token }: Invitation) {
  return client.call(getInvitationDetails, { params: { token } });
}
