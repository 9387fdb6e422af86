import assert from 'node:assert/strict';
import test from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { ApiError } from '../../../../client/api-error.ts';
import { getCurrentUser, login } from '../../../../contracts/accounts/accounts.ts';
import {
  beginTotp,
  confirmTotp,
  listFactors,
  removeTotp,
} from '../../../../contracts/accounts/sign-in/factors.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import { addAuthenticatorApp } from '../../../../testing/calls/authenticator-app.ts';
import { PASSWORD } from '../../../../testing/cast.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { findStep } from './totp.ts';

const RFC_SECRET = new Secret({ buffer: new TextEncoder().encode('12345678901234567890').buffer });

test('codes are those of RFC 6238, appendix B, cut to six digits', () => {
  const vectors: [seconds: number, code: string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ];
  for (const [seconds, code] of vectors) {
    const step = findStep(RFC_SECRET, code.slice(-6), seconds * SECOND_MS);
    assert.equal(step, Math.floor(seconds / 30), `${seconds}`);
  }
});

test('codes are those of RFC 4226, appendix D', () => {
  const codes = [
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ];
  for (const [count, code] of codes.entries())
    assert.equal(findStep(RFC_SECRET, code, count * 30 * SECOND_MS), count);
});

test('one step before and after the current one is accepted, two are not', () => {
  const totp = new TOTP({ secret: RFC_SECRET });
  const now = 1_000_000_020_000;
  const codeOf = (steps: number) => totp.generate({ timestamp: now + steps * 30 * SECOND_MS });
  const step = Math.floor(now / 30_000);
  const found = [-2, -1, 0, 1, 2].map((steps) => findStep(RFC_SECRET, codeOf(steps), now));
  assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined]);
});

test('an app counts once a code has confirmed it, and the secret is not stored in the clear', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const { secret, uri } = await client.call(beginTotp);
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.match(uri, /^otpauth:\/\/totp\/Sendwell.*paula.*secret=.*&algorithm=SHA1&digits=6&period=30$/);
  await server.anonymous().call(login, { body: { username: 'paula', password: PASSWORD } });
  const { app, recoveryCodes, hasPassword } = await client.call(listFactors);
  assert.deepEqual([app, recoveryCodes, hasPassword], [null, 0, true]);
  const confirm = (code: string) => client.call(confirmTotp, { body: { code } });
  await assert.rejects(confirm('000000'), { code: 'wrong_factor' });
  const code = new TOTP({ secret }).generate({ timestamp: server.clock.now() });
  const codes = (await confirm(code)).recoveryCodes!;
  assert.equal(new Set(codes).size, 10);
  await assert.rejects(confirm(code), { code: 'totp_exists' });
  await assert.rejects(client.call(beginTotp), { code: 'totp_exists' });
  const factors = await client.call(listFactors);
  assert.equal(factors.app?.since, new Date(server.clock.now()).toISOString());
  assert.equal(factors.recoveryCodes, 10);
  const rows = JSON.stringify([
    await server.context.db.selectFrom('totpSecrets').selectAll().execute(),
    await server.context.db.selectFrom('recoveryCodes').selectAll().execute(),
  ]);
  assert.ok(!rows.includes(secret) && codes.every((each) => !rows.includes(each)));
  const mails = await server.mails();
  assert.equal(mails.filter(({ kind }) => kind === 'factor-changed').length, 1);
});

test('of parallel confirmations one adds the app', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  const { secret } = await client.call(beginTotp);
  const code = new TOTP({ secret }).generate({ timestamp: server.clock.now() });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, () => client.call(confirmTotp, { body: { code } })),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('removing the app ends the second step and voids the recovery codes', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  await addAuthenticatorApp(server, client);
  await client.call(removeTotp);
  const { app, recoveryCodes } = await client.call(listFactors);
  assert.deepEqual([app, recoveryCodes], [null, 0]);
  const user = await server.anonymous().call(login, { body: { username: 'paula', password: PASSWORD } });
  assert.equal(user.username, 'paula');
});

test('factors change only within 15 minutes of a confirmation', async (t) => {
  const server = await startTestServer(t);
  const client = await server.signIn('paula');
  server.clock.advance(15 * MINUTE_MS);
  await assert.rejects(client.call(beginTotp), (error: ApiError) => {
    assert.deepEqual([error.status, error.code], [403, 'step_up_required']);
    return true;
  });
  assert.equal((await client.call(getCurrentUser)).username, 'paula');
});
