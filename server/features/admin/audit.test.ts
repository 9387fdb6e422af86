import assert from 'node:assert/strict';
import test from 'node:test';
import { type AuditEntry, listAudit } from '../../../contracts/admin/audit.ts';
import { createCoupon } from '../../../contracts/admin/plans.ts';
import { createUser, deleteUser, setUserTier } from '../../../contracts/admin/users.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { toIso } from '../../platform/lib/clock.ts';

const NORA = { username: 'Nora.New', email: 'nora@example.org', password: 'noras secret' };

/** Performs four acts a minute apart: creates nora, puts her on pro, deletes her, and creates a coupon. */
async function startWithActs(t: Parameters<typeof startTestServer>[0]) {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const { id } = await ada.call(createUser, { body: NORA });
  server.clock.advance(MINUTE_MS);
  await ada.call(setUserTier, { params: { id }, body: { tier: 'pro' } });
  server.clock.advance(MINUTE_MS);
  await ada.call(deleteUser, { params: { id } });
  server.clock.advance(MINUTE_MS);
  await ada.call(createCoupon, { body: { code: 'TEN_OFF', tier: 'pro', discountPercent: 10 } });
  return { server, ada, id };
}

const actions = (entries: AuditEntry[]) => entries.map(({ action }) => action);

test('the audit log lists actor, action, subject and time, newest first, without secrets', async (t) => {
  const { server, ada } = await startWithActs(t);
  const entries = await ada.call(listAudit);
  assert.deepEqual(actions(entries), ['coupon.create', 'user.delete', 'user.tier', 'user.create']);
  const { id, ...created } = entries.at(-1)!;
  assert.match(id, /^[0-9a-z]{26}$/);
  assert.deepEqual(created, {
    at: toIso(server.clock.now() - 3 * MINUTE_MS),
    actor: 'ada',
    action: 'user.create',
    subject: NORA.username,
    details: { email: NORA.email, tier: 'free', isAdmin: false },
    ipAddress: '127.0.0.1',
  });
  assert.deepEqual(entries[2]!.details, { from: 'free', to: 'pro' });
  assert.ok(!JSON.stringify(entries).includes(NORA.password));
});

test('the audit log can be searched by actor and subject, filtered by action, and paged', async (t) => {
  const { ada, id } = await startWithActs(t);
  const list = async (query: Record<string, string>) => actions(await ada.call(listAudit, { query }));
  assert.deepEqual(await list({ search: 'NORA' }), ['user.delete', 'user.tier', 'user.create']);
  assert.deepEqual(await list({ search: id }), ['user.delete', 'user.tier', 'user.create']);
  assert.deepEqual(await list({ search: 'n_of' }), ['coupon.create']);
  assert.deepEqual(await list({ search: '%' }), []);
  assert.equal((await list({ search: 'ADA' })).length, 4);
  assert.deepEqual(await list({ action: 'user' }), ['user.delete', 'user.tier', 'user.create']);
  assert.deepEqual(await list({ action: 'user.tier' }), ['user.tier']);
  assert.deepEqual(await list({ action: 'use' }), []);
  assert.deepEqual(await list({ action: 'user', search: 'ten' }), []);
  const pages: string[][] = [];
  let path: string | undefined = '/api/admin/audit?limit=3';
  while (path) {
    const response: Response = await ada.fetch(path);
    pages.push(actions((await response.json()) as AuditEntry[]));
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, [['coupon.create', 'user.delete', 'user.tier'], ['user.create']]);
  await assert.rejects(ada.call(listAudit, { query: { cursor: 'nonsense' } }), { status: 400 });
});

test('entries remain when the administrator and the subject are deleted', async (t) => {
  const { server, ada } = await startWithActs(t);
  const entries = await ada.call(listAudit);
  await server.context.db
    .updateTable('users')
    .set({ isAdmin: 1 })
    .where('usernameKey', '=', 'paula')
    .execute();
  const paula = await server.signIn('paula');
  server.clock.advance(1);
  await paula.call(deleteUser, { params: { id: server.userId('ada') } });
  await server.context.db.deleteFrom('users').where('id', '=', server.userId('ada')).execute();
  const [last, ...rest] = await paula.call(listAudit);
  assert.deepEqual([last!.actor, last!.action, last!.subject], ['paula', 'user.delete', 'ada']);
  assert.deepEqual(rest, entries);
});
