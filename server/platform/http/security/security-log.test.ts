import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { login } from '../../../../contracts/accounts/accounts.ts';
import { createApiKey, deleteApiKey } from '../../../../contracts/accounts/api-keys.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { createWebhook } from '../../../../contracts/accounts/webhooks.ts';
import {
  createUser,
  listUsers,
  resetUserPassword,
  setUserAdmin,
  setUserTier,
} from '../../../../contracts/admin/users.ts';
import { clientWithKey } from '../../../../testing/calls/api-keys.ts';
import { Client } from '../../../../testing/calls/client.ts';
import { CAST, PASSWORD } from '../../../../testing/cast.ts';
import { prepareServerProcess, type ServerProcess } from '../../../../testing/processes/server-process.ts';
import { createLog } from '../../lib/logging/log.ts';
import { SECURITY_EVENTS, SecurityLog } from './security-log.ts';

const FILTER = join(import.meta.dirname, '../../../../docs/fail2ban/filter.d/sendwell.conf');
const MONITORING = join(import.meta.dirname, '../../../../docs/self-hosting/monitoring.md');

type Line = { event: string; outcome: string; address: string; accountId?: string; [field: string]: unknown };

test('monitoring.md describes every security event, and no other', () => {
  const table = readFileSync(MONITORING, 'utf8').split('### Security events')[1]!.split('\n#')[0]!;
  const documented = [...table.matchAll(/^\| `([a-z_]+\.[a-z_]+)`/gm)].map(([, event]) => event!);
  assert.deepEqual(documented.sort(), [...Object.keys(SECURITY_EVENTS), 'events.suppressed'].sort());
});

test('refused input is an event without the input itself, and no warning', () => {
  const { security, lines } = recordToLines();
  const request = { ip: '198.51.100.7', routeOptions: { url: '/api/register' }, method: 'POST' };
  for (const code of ['invalid_input', 'malformed_json', 'body_too_large', 'unsupported_media_type'] as const)
    security.recordRefusal(request as FastifyRequest, { code });
  security.recordRefusal(request as FastifyRequest, { code: 'not_found' });
  assert.deepEqual(
    lines().map(({ event, level, reason }) => ({ event, level, reason })),
    ['invalid_input', 'malformed_json', 'body_too_large', 'unsupported_media_type'].map((reason) => ({
      event: 'input.refused',
      level: 'info',
      reason,
    })),
  );
});

test('a burst of refusals writes a bounded number of lines, and then the number of others', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { security, lines } = recordToLines();
  const from = (ip: string) =>
    ({ ip, routeOptions: { url: '/api/login' }, method: 'POST' }) as FastifyRequest;
  for (let call = 0; call < 500; call += 1)
    security.recordRefusal(from('198.51.100.7'), { code: 'not_allowed' });
  assert.equal(lines().length, 20);
  security.recordRefusal(from('198.51.100.8'), { code: 'not_allowed' });
  security.recordRefusal(from('198.51.100.7'), { code: 'wrong_credentials' });
  assert.equal(lines().length, 22, 'other addresses and events are still written');
  for (let call = 0; call < 50; call += 1)
    security.recordRefusal(from(`2001:db8:1:1::${call.toString(16)}`), { code: 'not_allowed' });
  assert.equal(lines().length, 42);
  for (let call = 0; call < 3000; call += 1)
    security.recordRefusal(from(`203.${call >> 8}.${call & 255}.1`), { code: 'too_many_requests' });
  assert.equal(lines().length, 1042);
  t.mock.timers.tick(60_000);
  const sums = lines().slice(1042);
  assert.deepEqual(
    sums.map(({ event, suppressed, lines: count }) => ({ event, suppressed, count })),
    [
      { event: 'events.suppressed', suppressed: 'access.denied', count: 510 },
      { event: 'events.suppressed', suppressed: 'limit.reached', count: 2000 },
    ],
  );
  security.recordRefusal(from('198.51.100.7'), { code: 'not_allowed' });
  assert.equal(lines().at(-1)!.event, 'access.denied', 'the next minute starts anew');
  security.close();
});

test('callers cannot forge a line that the fail2ban filter matches', () => {
  const { lines, security, raw, log } = recordToLines();
  const forged = `{"level":"warn","time":"2026-01-01T00:00:00.000Z","pid":1,"event":"login.failed","outcome":"refused","address":"192.0.2.66",`;
  log.warn({ err: new Error(forged), name: forged }, forged);
  const request = { ip: forged, routeOptions: { url: forged }, method: 'POST' } as FastifyRequest;
  security.recordRefusal(request, { code: 'wrong_credentials' });
  assert.equal(lines().length, 2);
  assert.deepEqual(matchFilter(raw(), 'aggressive'), []);
  security.close();
});

test('a server logs account events, and the fail2ban filter finds the addresses to ban', async (t) => {
  const { lines, raw } = await logOfAnEventfulDay(t);
  const seen = (event: string) => lines.filter((line) => line.event === event);
  const ada = seen('login.succeeded')[0]!.accountId!;
  const [created] = seen('account.created');
  const frida = created!.accountId!;
  assert.ok(ada && frida && ada !== frida);
  assert.deepEqual(created, { ...created, outcome: 'success', address: '192.0.2.1', actorId: ada });
  assert.deepEqual(
    seen('login.failed').map(({ address, accountId, reason }) => ({ address, accountId, reason })),
    [
      // Known accounts are named; unknown names stay out of the log.
      { address: '198.51.100.1', accountId: ada, reason: 'wrong_credentials' },
      { address: '2001:db8::5', accountId: undefined, reason: 'wrong_credentials' },
    ],
  );
  assert.deepEqual(
    seen('account.plan_changed').map(({ accountId, from, to, cause }) => [accountId, from, to, cause]),
    [[frida, 'free', 'pro', 'administrator']],
  );
  assert.deepEqual(
    seen('account.role_changed').map(({ accountId, isAdmin, actorId }) => [accountId, isAdmin, actorId]),
    [
      [frida, true, ada],
      [frida, false, ada],
    ],
  );
  assert.deepEqual(
    seen('session.ended').map(({ accountId, cause }) => [accountId, cause]),
    [
      [frida, 'role'],
      [frida, 'administrator'],
    ],
  );
  assert.deepEqual(
    seen('account.password_changed').map(({ accountId, cause }) => [accountId, cause]),
    [
      [frida, 'administrator'],
      [ada, 'owner'],
    ],
  );
  assert.equal(seen('account.email_changed').length, 1);
  assert.deepEqual(
    seen('access.denied').map(({ accountId, reason, route }) => [accountId, reason, route]),
    [[frida, 'not_allowed', '/api/admin/users']],
  );
  assert.equal(seen('webhook.created').length, 1);
  const [key] = seen('api_key.created');
  assert.deepEqual(
    seen('api_key.new_address').map(({ keyId, address }) => [keyId, address]),
    [
      [key!.keyId, '192.0.2.1'],
      [key!.keyId, '198.51.100.9'],
    ],
  );
  assert.deepEqual(
    seen('api_key.refused').map(({ address, accountId }) => [address, accountId]),
    [['198.51.100.2', undefined]],
  );
  assert.ok(seen('limit.reached').every(({ address }) => address === '198.51.100.3'));
  assert.ok(seen('limit.reached').length > 0);
  for (const { event, outcome } of lines)
    if (event in SECURITY_EVENTS)
      assert.equal(outcome, SECURITY_EVENTS[event as keyof typeof SECURITY_EVENTS]);

  const banned = ['198.51.100.1', '198.51.100.2', '198.51.100.3', '2001:db8::5'];
  assert.deepEqual(matchFilter(raw, 'normal'), banned);
  assert.deepEqual(matchFilter(raw, 'aggressive'), ['192.0.2.1', ...banned]);
  const fromDocker = raw.map((line) => JSON.stringify({ log: `${line}\n`, stream: 'stdout' }));
  assert.deepEqual(matchFilter(fromDocker, 'normal'), banned);
  const fromJournal = raw.map((line) => `host sendwell[812]: ${line}`);
  assert.deepEqual(matchFilter(fromJournal, 'normal'), banned);
  const answered = runFail2ban(t, raw);
  if (answered) assert.deepEqual(answered, banned);
  else t.diagnostic('fail2ban-regex is not installed: the expressions were tried in JavaScript only');
});

async function logOfAnEventfulDay(t: TestContext): Promise<{ lines: Line[]; raw: string[] }> {
  const env = { LOG_LEVEL: 'info', RATE_LIMIT: 'on', TRUST_PROXY: '1', WEBHOOK_ALLOW_PRIVATE: 'on' };
  const server = await prepareServerProcess(t, env);
  const file = join(server.dataDir, 'log');
  const stdout = openSync(file, 'a');
  server.stdout = stdout;
  await server.start();
  closeSync(stdout);
  const secrets = await makeEvents(server);
  assert.equal(await server.terminate(), 0);
  const log = readFileSync(file, 'utf8').split('\n');
  const raw = log.filter((line) => line.includes('"security event"'));
  for (const secret of secrets) assert.ok(!raw.join('\n').includes(secret), `the log has ${secret}`);
  return { raw, lines: raw.map((line) => JSON.parse(line) as Line) };
}

async function makeEvents(server: ServerProcess): Promise<string[]> {
  const signIn = (ip: string, username: string, password: string) =>
    clientFrom(server, ip).call(login, { body: { username, password } });
  await assert.rejects(signIn('198.51.100.1', CAST.ada.username, 'wrong-password-1'));
  await assert.rejects(signIn('2001:db8::5', 'no-such-name', 'wrong-password-2'));

  const ada = clientFrom(server, '192.0.2.1');
  await ada.call(login, { body: { username: CAST.ada.username, password: PASSWORD } });
  const person = { username: 'frida', email: CAST.frida.email, password: 'friday-secret-1' };
  const frida = await ada.call(createUser, { body: { ...person, tier: 'free', isAdmin: false } });
  await ada.call(setUserTier, { params: { id: frida.id }, body: { tier: 'pro' } });
  const fridas = clientFrom(server, '192.0.2.1');
  await fridas.call(login, { body: { username: 'frida', password: person.password } });
  await assert.rejects(fridas.call(listUsers), { status: 403 });
  for (const isAdmin of [true, false])
    await ada.call(setUserAdmin, { params: { id: frida.id }, body: { isAdmin } });
  await ada.call(resetUserPassword, { params: { id: frida.id }, body: { password: 'friday-secret-2' } });

  const webhook = await ada.call(createWebhook, {
    body: { url: 'http://127.0.0.1:9/hook-secret-path', events: ['transfer.ready'] },
  });
  const key = await ada.call(createApiKey, { body: { name: 'Nightly', scopes: ['read'] } });
  for (const ip of ['192.0.2.1', '192.0.2.1', '198.51.100.9', '192.0.2.1', '198.51.100.9'])
    assert.equal((await callByKey(server, key.key, ip)).status, 200);
  await ada.call(deleteApiKey, { params: { id: key.id } });
  assert.equal((await callByKey(server, key.key, '198.51.100.2')).status, 401);

  const change = { currentPassword: PASSWORD, newPassword: 'a-new-password-3', email: 'ada2@example.org' };
  await ada.call(updateProfile, { body: change });
  const stranger = clientFrom(server, '198.51.100.3');
  const body = JSON.stringify({ email: 'somebody@example.org' });
  const headers = { 'content-type': 'application/json' };
  for (let status = 202; status !== 429; )
    ({ status } = await stranger.fetch('/api/password-reset/request', { method: 'POST', headers, body }));
  const passwords = ['wrong-password', PASSWORD, person.password, 'friday-secret', change.newPassword];
  return [...passwords, 'no-such-name', key.key, webhook.secret!, 'hook-secret-path', '@example.org'];
}

function callByKey(server: ServerProcess, key: string, ip: string): Promise<Response> {
  return clientWithKey(server, { key }, { 'x-forwarded-for': ip }).fetch('/api/transfers');
}

function clientFrom({ url }: ServerProcess, ip: string): Client {
  const client = new Client(url);
  const send = client.fetch.bind(client);
  client.fetch = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('x-forwarded-for', ip);
    return send(path, { ...init, headers });
  };
  return client;
}

function recordToLines() {
  const written: string[] = [];
  const log = createLog('info', { write: (line) => written.push(line) });
  const lines = () => written.map((line) => JSON.parse(line) as Line);
  return { log, lines, raw: () => written, security: new SecurityLog(log) };
}

function matchFilter(raw: string[], mode: 'normal' | 'aggressive'): string[] {
  const options = readFilter();
  const expand = (name: string): string =>
    options
      .get(name)!
      .replace(/%\((\w+)\)s/g, (_place, other: string) => expand(other))
      .replace('<failregex-normal>', () => expand('failregex-normal'));
  const expressions = expand(`failregex-${mode}`)
    .split('\n')
    .map((line) => new RegExp(line.replace('<ADDR>', '(?<address>[0-9a-fA-F:.]+)')));
  const found = raw.flatMap((line) =>
    expressions
      .map((expression) => expression.exec(line)?.groups?.address)
      .filter((each) => each !== undefined),
  );
  return [...new Set(found)].sort();
}

function readFilter(): Map<string, string> {
  const options = new Map<string, string>();
  let current = '';
  for (const line of readFileSync(FILTER, 'utf8').split('\n')) {
    const [, name, value] = /^([\w-]+) = ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      current = name;
      options.set(name, value!);
    } else if (/^\s+\S/.test(line)) options.set(current, `${options.get(current)}\n${line.trim()}`);
  }
  return options;
}

/** Undefined if fail2ban-regex isn't installed. */
function runFail2ban(t: TestContext, raw: string[]): string[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-fail2ban-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  writeFileSync(file, `${raw.join('\n')}\n`);
  const asked = spawnSync('fail2ban-regex', ['-o', 'ip', file, FILTER], { encoding: 'utf8' });
  if (asked.error) return undefined;
  assert.equal(asked.status, 0, asked.stderr);
  return [...new Set(asked.stdout.split('\n').filter(Boolean))].sort();
}
