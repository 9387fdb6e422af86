import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { VERA, visitInvitation } from '../../../../testing/visitors/visit.ts';
import { requestCode, send, setStage, verifiedAddress, verify, wrongCode } from './visits.fixtures.ts';

test('a code is mailed to the visitor’s address and verifies it for this browser only', async (t) => {
  const { server, owner, invitation, visitor } = await setStage(t);
  assert.equal(await verifiedAddress(visitor, invitation), undefined);
  assert.deepEqual(await send(visitor, invitation), { expiresInMinutes: 15 });
  const [mail, ...others] = await mailsTo(server, 'visitor-code', VERA);
  assert.deepEqual(others, []);
  const code = /^\d{6}$/m.exec(mail!.text)![0];
  assert.ok(mail!.subject.startsWith(code));
  assert.ok(mail!.text.includes('Prem Premium') && mail!.text.includes('Studio pictures'));
  assert.equal(mail!.sendBefore, server.clock.now() + 15 * MINUTE_MS);
  assert.equal(await verifiedAddress(visitor, invitation), undefined);

  assert.deepEqual(await verify(visitor, invitation, code), { email: VERA });
  assert.equal(await verifiedAddress(visitor, invitation), VERA);
  assert.equal(await verifiedAddress(server.anonymous(), invitation), undefined);
  assert.equal(await verifiedAddress(owner, invitation), undefined);
  const [cookie] = visitor.jar.list();
  assert.deepEqual([cookie!.name, cookie!.path], [`visitor-${invitation.id}`, '/api']);
});

test('a code comes in the language of the visitor’s browser', async (t) => {
  const { server, invitation, visitor } = await setStage(t);
  await visitor.fetch(`/api/upload-invitations/${invitation.token}/send-verification`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': 'pl, de-AT;q=0.8, fr;q=0.5' },
    body: JSON.stringify({ email: VERA }),
  });
  const [mail] = await mailsTo(server, 'visitor-code', VERA);
  assert.match(mail!.subject, /^\d{6} ist Ihr Sendwell-Code$/);
  assert.match(mail!.text, /auf der Prem Premium Sie um Dateien bittet \(„Studio pictures/);
  assert.match(mail!.html, /<html lang="de" dir="ltr">/);
});

test('scripts and other sites cannot read the visit’s cookie', async (t) => {
  const stage = await setStage(t, { PUBLIC_URL: 'https://files.example.org' });
  const body = JSON.stringify({ email: VERA, code: await requestCode(stage) });
  const path = `/api/upload-invitations/${stage.invitation.token}/verify`;
  const headers = { 'content-type': 'application/json' };
  const [cookie] = (
    await stage.visitor.fetch(path, { method: 'POST', headers, body })
  ).headers.getSetCookie();
  assert.match(cookie!, /; Max-Age=3600; Path=\/api; HttpOnly; Secure; SameSite=Lax$/);
});

test('Visitor e-mail: non-empty and contains ‘@’; one plain address at that', async (t) => {
  const { server, invitation, visitor } = await setStage(t);
  for (const email of [
    '',
    ' ',
    'vera',
    null,
    7,
    [VERA],
    'a@b',
    '"a b"@example.org',
    'Vera <vera@example.org>',
    `${VERA}, eve@example.org`,
    `${VERA}\r\nBcc: eve@example.org`,
    `${'x'.repeat(250)}@example.org`,
    'vera\0@example.org',
  ])
    await assert.rejects(send(visitor, invitation, email), { status: 400, code: 'invalid_input' });
  await assert.rejects(send(visitor, invitation, 'vera'), ({ problem }: ApiError) => {
    assert.equal(problem.errors?.email, 'Please enter a valid email address');
    return true;
  });
  assert.deepEqual(await server.mails(), []);
});

test('Visitor code: 6 digits, which must match', async (t) => {
  const stage = await setStage(t);
  const { invitation, visitor } = stage;
  const code = await requestCode(stage);
  for (const malformed of ['', '12345', '1234567', 'abcdef', '１２３４５６', null, 123456, [code]])
    await assert.rejects(verify(visitor, invitation, malformed), { status: 400, code: 'invalid_input' });
  await assert.rejects(verify(visitor, invitation, '12345'), ({ problem }: ApiError) => {
    assert.equal(problem.errors?.code, 'Please enter the 6-digit code');
    return true;
  });
  await assert.rejects(verify(visitor, invitation, wrongCode(code)), { status: 400, code: 'wrong_code' });
  await assert.rejects(verify(visitor, invitation, code, 'eve@example.org'), { code: 'code_expired' });
  assert.deepEqual(await verify(visitor, invitation, ` ${code} `, 'VERA@Atelier.example.net'), {
    email: VERA,
  });
});

test('a code is valid for 15 minutes and can be used once', async (t) => {
  const stage = await setStage(t);
  const { server, invitation, visitor } = stage;
  const old = await requestCode(stage);
  server.clock.advance(15 * MINUTE_MS);
  await assert.rejects(verify(visitor, invitation, old), { status: 400, code: 'code_expired' });
  const code = await requestCode(stage);
  server.clock.advance(15 * MINUTE_MS - 1);
  await verify(visitor, invitation, code);
  for (const client of [visitor, server.anonymous()])
    await assert.rejects(verify(client, invitation, code), { status: 400, code: 'code_expired' });
  assert.equal(await verifiedAddress(visitor, invitation), VERA);
});

test('a new code voids the previous one and drops its queued mail', async (t) => {
  const stage = await setStage(t);
  const { server, invitation, visitor } = stage;
  const older = await requestCode(stage);
  server.clock.advance(MINUTE_MS);
  const newer = await requestCode(stage);
  const states = (await mailsTo(server, 'visitor-code', VERA)).map(({ state }) => state);
  assert.deepEqual(states, ['dropped', 'queued']);
  if (older !== newer) await assert.rejects(verify(visitor, invitation, older), { code: 'wrong_code' });
  await verify(visitor, invitation, newer);
});

test('parallel requests mail one code, which is the valid one', async (t) => {
  for (const RATE_LIMIT of ['on', 'off']) {
    const { server, invitation, visitor } = await setStage(t, { RATE_LIMIT });
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => send(visitor, invitation)));
    const done = answers.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(done, RATE_LIMIT === 'on' ? 1 : 8);
    const queued = (await mailsTo(server, 'visitor-code', VERA)).filter(({ state }) => state === 'queued');
    assert.equal(queued.length, 1);
    await verify(visitor, invitation, /^\d{6}$/m.exec(queued[0]!.text)![0]);
  }
});

test('parallel wrong codes get at most five attempts, and then the right one is void', async (t) => {
  const stage = await setStage(t);
  const code = await requestCode(stage);
  const guesses = Array.from({ length: 20 }, (_, index) =>
    verify(stage.server.anonymous(), stage.invitation, wrongCode(code, index + 1)),
  );
  const answers = await Promise.allSettled(guesses);
  const codes = answers.map((answer) => answer.status === 'rejected' && answer.reason.code);
  assert.equal(
    codes.filter((each) => each === 'wrong_code').length,
    4,
    'the fifth reports that it was the last',
  );
  assert.equal(codes.filter((each) => each === 'code_expired').length, 16);
  await assert.rejects(verify(stage.visitor, stage.invitation, code), { code: 'code_expired' });
});

test('the same right code in ten browsers verifies only one', async (t) => {
  const stage = await setStage(t);
  const code = await requestCode(stage);
  const browsers = Array.from({ length: 10 }, () => stage.server.anonymous());
  const answers = await Promise.allSettled(
    browsers.map((browser) => verify(browser, stage.invitation, code)),
  );
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const answer of answers)
    if (answer.status === 'rejected') assert.equal(answer.reason.code, 'code_expired');
  const proved = await Promise.all(browsers.map((browser) => verifiedAddress(browser, stage.invitation)));
  assert.deepEqual(proved.filter(Boolean), [VERA]);
});

test('at most one of a code and its successor verifies the address', async (t) => {
  const stage = await setStage(t);
  const { server, invitation } = stage;
  for (let round = 0; round < 4; round += 1) {
    const older = await requestCode(stage);
    server.clock.advance(MINUTE_MS);
    const browser = server.anonymous();
    const [proof, newer] = await Promise.allSettled([verify(browser, invitation, older), requestCode(stage)]);
    assert.equal(newer.status, 'fulfilled');
    assert.equal(await verifiedAddress(browser, invitation), proof.status === 'fulfilled' ? VERA : undefined);
    await assert.rejects(
      verify(server.anonymous(), invitation, older),
      ({ status }: ApiError) => status === 400,
    );
    server.clock.advance(HOUR_MS);
  }
});

test('codes are stored as keyed hashes and deleted once used', async (t) => {
  const stage = await setStage(t);
  const { server, invitation, visitor } = stage;
  const find = () =>
    server.context.db.selectFrom('uploadInvitationVerifications').selectAll().executeTakeFirstOrThrow();
  const code = await requestCode(stage);
  assert.ok(!JSON.stringify(await find()).includes(code));
  await verify(visitor, invitation, code);
  assert.deepEqual([(await find()).codeHash, (await find()).verifiedAt], ['', server.clock.now()]);
});

test('visits are removed after two days, but not because of a clock jump', async (t) => {
  const { server, invitation } = await setStage(t);
  const count = async () =>
    (await server.context.db.selectFrom('uploadInvitationVerifications').select('id').execute()).length;
  await visitInvitation(server, invitation.token);
  await server.drainJobs();
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  server.clock.jump(3 * DAY_MS);
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  assert.equal(await count(), 1);
  server.clock.jump(-3 * DAY_MS);
  for (const _ of [1, 2]) {
    server.clock.advance(HOUR_MS);
    await server.drainJobs();
  }
  server.clock.advance(2 * DAY_MS - 3 * HOUR_MS);
  await visitInvitation(server, invitation.token, 'late@example.net');
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
  assert.equal(await count(), 1);
});
