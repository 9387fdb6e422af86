import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import type { Invitation } from '../../../../contracts/transfers/uploads/invitations.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { startInvitation, VERA } from '../../../../testing/visitors/visit.ts';
import { requestCode, send, setStage, verify, wrongCode } from './visits.fixtures.ts';

test('an invitation mails a visitor at most one code a minute and five an hour', async (t) => {
  const { server, invitation, visitor } = await setStage(t);
  await send(visitor, invitation);
  await assert.rejects(send(server.anonymous(), invitation, VERA.toUpperCase()), (error: ApiError) => {
    assert.deepEqual([error.status, error.code], [429, 'too_many_requests']);
    assert.equal(error.retryAfterSeconds, 60);
    return true;
  });
  await send(visitor, invitation, 'other@example.net');
  for (let count = 1; count < 5; count += 1) {
    server.clock.advance(MINUTE_MS);
    await send(visitor, invitation);
  }
  server.clock.advance(MINUTE_MS);
  await assert.rejects(send(visitor, invitation), { status: 429 });
  server.clock.advance(HOUR_MS);
  await send(visitor, invitation);
});

test('a mailbox gets at most five codes an hour and twenty a day from all invitations', async (t) => {
  const { server, owner, visitor } = await setStage(t);
  const invitations = await Promise.all(Array.from({ length: 6 }, () => startInvitation(owner)));
  for (let hour = 0; hour < 4; hour += 1) {
    for (const invitation of invitations.slice(0, 5)) await send(visitor, invitation);
    for (const email of [VERA, VERA.replace('@', '+tag@')])
      await assert.rejects(send(visitor, invitations[5]!, email), { status: 429 });
    server.clock.advance(HOUR_MS);
  }
  await assert.rejects(send(visitor, invitations[5]!), { status: 429 });
  server.clock.advance(DAY_MS);
  await send(visitor, invitations[5]!);
});

test('an invitation mails at most 200 codes an hour; a network address gets at most 30', async (t) => {
  const { server, owner, invitation } = await setStage(t, { TRUST_PROXY: '1' });
  const sendFrom = (address: string, { token }: Invitation, email: string) =>
    server.anonymous().fetch(`/api/upload-invitations/${token}/send-verification`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ email }),
    });
  const sendAll = async (count: number, address: (index: number) => string) => {
    const statuses: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const answer = await sendFrom(address(index), invitation, `${address(index)}-${index}@example.net`);
      statuses.push(answer.status);
    }
    return statuses;
  };
  assert.deepEqual(await sendAll(31, () => '203.0.113.1'), [...Array(30).fill(202), 429]);
  assert.deepEqual(await sendAll(171, (index) => `198.51.100.${index}`), [...Array(170).fill(202), 429]);
  const another = await startInvitation(owner);
  assert.equal((await sendFrom('203.0.113.9', another, 'last@example.net')).status, 202);
});

test('wrong codes also count per network address, right ones do not', async (t) => {
  const stage = await setStage(t);
  const { server, invitation, visitor } = stage;
  for (let tries = 0; tries < 49; tries += 1)
    await assert.rejects(verify(visitor, invitation, '000000', `${tries}@example.net`), { status: 400 });
  await verify(visitor, invitation, await requestCode(stage));
  await assert.rejects(verify(visitor, invitation, '000000'), { status: 400 });
  await assert.rejects(verify(visitor, invitation, '000000'), { status: 429 });
  server.clock.advance(HOUR_MS);
  await assert.rejects(verify(visitor, invitation, '000000'), { status: 400 });
});

test('strangers’ wrong guesses are limited and don’t use up the visitor’s own attempts', async (t) => {
  const stage = await setStage(t, { TRUST_PROXY: '1' });
  const { server, invitation, visitor } = stage;
  const code = await requestCode(stage);
  const guessFrom = async (address: string, guess: string) => {
    const response = await server.anonymous().fetch(`/api/upload-invitations/${invitation.token}/verify`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-forwarded-for': address,
      },
      body: JSON.stringify({ email: VERA, code: guess }),
    });
    return ((await response.json()) as { code?: string }).code;
  };
  const answers: (string | undefined)[] = [];
  for (let index = 0; index < 36; index += 1)
    answers.push(await guessFrom(`198.51.100.${Math.floor(index / 6)}`, wrongCode(code, index + 1)));
  const isSixth = (_: unknown, index: number) => index % 6 === 5;
  assert.ok(
    answers.filter(isSixth).every((answer) => answer === 'code_expired'),
    'five for each address',
  );
  assert.equal(
    answers.filter((answer) => answer === 'wrong_code').length,
    24,
    'the 25th attempt is the last',
  );
  assert.equal(await guessFrom('203.0.113.5', code), 'code_expired', 'strangers have no attempts left');
  assert.deepEqual(await verify(visitor, invitation, code), { email: VERA });
});
