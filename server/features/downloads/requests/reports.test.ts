import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { reportTransfer } from '../../../../contracts/transfers/downloads/downloads.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

async function startWithTransfer(t: TestContext, env: Record<string, string> = {}) {
  const server = await startTestServer(t, env);
  const make = () =>
    createReadyTransfer(server.context, {
      userId: server.userId('frida'),
      files: [{ path: 'a.txt', bytes: 'a' }],
      password: 'open sesame',
    });
  return { server, make, transfer: await make() };
}

const listReports = ({ context }: TestServer) =>
  context.db.selectFrom('abuseReports').selectAll().orderBy('createdAt').execute();

function report(server: TestServer, token: string, body: object): Promise<unknown> {
  return server.anonymous().call(reportTransfer, { params: { token }, body });
}

const refusedAs = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test('anyone with the link can report a transfer, even a locked or expired one', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await report(server, transfer.token, {
    reason: 'phishing',
    details: '  It asks for <b>my</b> bank card. ',
    email: 'vera@example.org',
  });
  server.clock.advance(30 * DAY_MS);
  await report(server, transfer.token, { reason: 'other', details: '', email: '' });
  const rows = await listReports(server);
  assert.deepEqual(
    rows.map(({ transferId, reason, details, reporterEmail, ipAddress, settledAt }) => ({
      transferId,
      reason,
      details,
      reporterEmail,
      ipAddress,
      settledAt,
    })),
    [
      {
        transferId: transfer.id,
        reason: 'phishing',
        details: 'It asks for <b>my</b> bank card.',
        reporterEmail: 'vera@example.org',
        ipAddress: '127.0.0.1',
        settledAt: null,
      },
      {
        transferId: transfer.id,
        reason: 'other',
        details: null,
        reporterEmail: null,
        ipAddress: '127.0.0.1',
        settledAt: null,
      },
    ],
  );
});

test('one report is stored per address, transfer and day', async (t) => {
  const { server, make, transfer } = await startWithTransfer(t);
  await Promise.all(Array.from({ length: 8 }, () => report(server, transfer.token, { reason: 'malware' })));
  assert.equal((await listReports(server)).length, 1);
  await report(server, (await make()).token, { reason: 'malware' });
  assert.equal((await listReports(server)).length, 2);
  server.clock.advance(DAY_MS);
  await report(server, transfer.token, { reason: 'malware' });
  assert.equal((await listReports(server)).length, 3);
});

test('reports are rate-limited per address', async (t) => {
  const { server, make } = await startWithTransfer(t, { TRUST_PROXY: '1' });
  const { token } = await make();
  const send = async (address: string) => {
    const response = await server.anonymous().fetch(`/api/download/${token}/report`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ reason: 'illegal' }),
    });
    return response.status;
  };
  for (let reports = 0; reports < 20; reports += 1) assert.equal(await send('203.0.113.7'), 204);
  assert.equal(await send('203.0.113.7'), 429);
  assert.equal(await send('203.0.113.8'), 204);
  server.clock.advance(HOUR_MS);
  assert.equal(await send('203.0.113.7'), 204);
  assert.equal((await listReports(server)).length, 2);
});

test('malformed reports and reports of unknown transfers are refused', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  for (const body of [
    {},
    { reason: 'boring' },
    { reason: 'other', email: 'not an address' },
    { reason: 'other', details: 'x'.repeat(2_001) },
    { reason: 'other', details: 'a\0b' },
    { reason: ['other'] },
  ])
    await assert.rejects(report(server, transfer.token, body), refusedAs('invalid_input'));
  await assert.rejects(report(server, '0'.repeat(26), { reason: 'other' }), refusedAs('transfer_not_found'));
  assert.deepEqual(await listReports(server), []);
});
