import assert from 'node:assert/strict';
import test from 'node:test';
import { getPreferences, updatePreferences } from '../../../../contracts/accounts/settings.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { writePreferences } from './preferences.ts';

const DEFAULTS = {
  emailOnDownload: true,
  emailOnView: false,
  emailOnExpiry: false,
  emailOnReopenRequest: true,
};

test('by default users get mail about downloads and requests to reopen transfers', async (t) => {
  const frida = await (await startTestServer(t)).signIn('frida');
  assert.deepEqual(await frida.call(getPreferences), DEFAULTS);
});

test('a change updates only the given fields', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const change = (body: unknown) => paula.call(updatePreferences, { body });
  assert.deepEqual(await change({ emailOnView: true }), { ...DEFAULTS, emailOnView: true });
  assert.deepEqual(await change({ emailOnDownload: false }), {
    ...DEFAULTS,
    emailOnDownload: false,
    emailOnView: true,
  });
  assert.deepEqual(await change({}), await paula.call(getPreferences));
  assert.deepEqual(await (await server.signIn('prem')).call(getPreferences), DEFAULTS);
  await assert.rejects(change({ emailOnView: 'yes' }), { status: 400 });
});

test('mails about downloads and views require Pro or Premium; expiry mails are for everybody', async (t) => {
  const frida = await (await startTestServer(t)).signIn('frida');
  const change = (body: unknown) => frida.call(updatePreferences, { body });
  for (const body of [
    { emailOnView: true },
    { emailOnDownload: false },
    { emailOnExpiry: true, emailOnView: true },
  ])
    await assert.rejects(change(body), {
      status: 402,
      code: 'tier_required',
      message: '402: Email about downloads and views is part of the Pro plan. Upgrade to use it.',
    });
  assert.deepEqual(await frida.call(getPreferences), DEFAULTS);
  assert.deepEqual(await change({ ...DEFAULTS, emailOnExpiry: true }), { ...DEFAULTS, emailOnExpiry: true });
});

test('parallel first changes create one row with all of them', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  await Promise.all(
    [
      { emailOnView: true },
      { emailOnDownload: false },
      { emailOnExpiry: true },
      { emailOnReopenRequest: false },
    ].map((body) => paula.call(updatePreferences, { body })),
  );
  const chosen = {
    emailOnDownload: false,
    emailOnView: true,
    emailOnExpiry: true,
    emailOnReopenRequest: false,
  };
  assert.deepEqual(await paula.call(getPreferences), chosen);
});

test('unsubscribing by link does not require a paid plan', async (t) => {
  const server = await startTestServer(t);
  const { db, clock } = server.context;
  await writePreferences(db, server.userId('frida'), { emailOnDownload: false }, clock.now());
  const frida = await server.signIn('frida');
  assert.deepEqual(await frida.call(getPreferences), { ...DEFAULTS, emailOnDownload: false });
});
