import assert from 'node:assert/strict';
import test from 'node:test';
import { type AdminUser, listUsers, USER_SORTS } from '../../../../contracts/admin/users.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import type { Tier } from '../../../platform/db/schema/column-types.ts';
import { newUser } from '../../accounts/users/users.ts';

type Person = { name: string; username: string; email?: string; tier?: Tier; isAdmin?: 0 | 1 };

/** Adds users to the cast, each created a minute after the one before. */
async function addPeople({ context, clock }: TestServer, people: Person[]): Promise<void> {
  for (const { name, username, email = `${username}@example.net`, tier = 'free', isAdmin = 0 } of people) {
    clock.advance(60_000);
    const row = newUser(
      { name, username, email, passwordHash: 'x' },
      { emailVerified: 1, isAdmin, tier },
      clock.now(),
    );
    await context.db.insertInto('users').values(row).execute();
  }
}

const names = (users: AdminUser[]) => users.map(({ username }) => username);
const search = async (client: Client, query: Record<string, string>) =>
  names(await client.call(listUsers, { query })).sort();

async function walk(client: Client, query: Record<string, string>): Promise<AdminUser[][]> {
  const pages: AdminUser[][] = [];
  let path: string | undefined = `/api/admin/users?${new URLSearchParams(query)}`;
  while (path) {
    const response: Response = await client.fetch(path);
    assert.equal(response.status, 200, path);
    pages.push((await response.json()) as AdminUser[]);
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return pages;
}

test('every sort order of accounts is right, and its pages add up to the whole list', async (t) => {
  const server = await startTestServer(t);
  await addPeople(server, [
    { name: 'Zoe', username: 'zoe', email: 'a@example.net' },
    { name: 'Bob', username: 'Bob', email: 'Y@example.net' },
    { name: 'Cleo', username: 'cleo', email: 'm@example.net' },
  ]);
  for (const [name, bytes] of [
    ['frida', '1234'],
    ['prem', '12'],
  ] as const)
    await createReadyTransfer(server.context, { userId: server.userId(name), files: [{ path: 'a', bytes }] });
  const ada = await server.signIn('ada');
  const list = async (sort: string) => names(await ada.call(listUsers, { query: { sort } }));
  assert.deepEqual((await list('newest')).slice(0, 3), ['cleo', 'Bob', 'zoe']);
  assert.deepEqual((await list('oldest')).slice(-3), ['zoe', 'Bob', 'cleo']);
  assert.deepEqual(await list('username'), ['ada', 'Bob', 'cleo', 'frida', 'paula', 'prem', 'zoe']);
  assert.deepEqual(await list('email'), ['zoe', 'ada', 'frida', 'cleo', 'paula', 'prem', 'Bob']);
  assert.deepEqual((await list('storage')).slice(0, 2), ['frida', 'prem']);
  for (const sort of USER_SORTS) {
    const whole = await ada.call(listUsers, { query: { sort } });
    for (const limit of ['1', '3', '7', '200']) {
      const pages = await walk(ada, { sort, limit });
      assert.equal(pages.length, Math.ceil(7 / Number(limit)), `${sort} by ${limit}`);
      assert.deepEqual(pages.flat(), whole, `${sort} by ${limit}`);
    }
  }
});

test('account search matches name, username and address in any case, beyond ASCII, without wildcards', async (t) => {
  const server = await startTestServer(t);
  await addPeople(server, [
    { name: 'Ärztin ÜBERALL', username: 'doctor' },
    { name: 'Смета', username: 'smeta' },
    { name: '100% sure', username: 'sure_one', email: 'someone+tag@example.net' },
  ]);
  const ada = await server.signIn('ada');
  assert.deepEqual(await search(ada, { search: 'ärztin über' }), ['doctor']);
  assert.deepEqual(await search(ada, { search: 'СМЕТ' }), ['smeta']);
  assert.deepEqual(await search(ada, { search: '%' }), ['sure_one']);
  assert.deepEqual(await search(ada, { search: 'E_O' }), ['sure_one']);
  assert.deepEqual(await search(ada, { search: '+TAG@' }), ['sure_one']);
  assert.deepEqual(await search(ada, { search: '  Frida Free ' }), ['frida']);
  assert.deepEqual(await search(ada, { search: 'EXAMPLE.ORG' }), ['ada', 'frida', 'paula', 'prem']);
  assert.deepEqual(await search(ada, { search: "' or 1=1 --" }), []);
});

test('accounts are filtered by plan and role, also across pages and combined with a search', async (t) => {
  const server = await startTestServer(t);
  await addPeople(
    server,
    Array.from({ length: 12 }, (_, index) => ({
      name: `Person ${index}`,
      username: `person${index}`,
      tier: (['free', 'pro', 'premium'] as const)[index % 3]!,
      isAdmin: index % 4 === 0 ? 1 : 0,
    })),
  );
  const ada = await server.signIn('ada');
  assert.equal((await search(ada, { tier: 'pro' })).length, 5);
  assert.deepEqual(await search(ada, { role: 'admin' }), ['ada', 'person0', 'person4', 'person8']);
  assert.equal((await search(ada, { role: 'user' })).length, 12);
  assert.deepEqual(await search(ada, { role: 'admin', tier: 'pro', search: 'PERSON' }), ['person4']);
  for (const sort of USER_SORTS) {
    const query = { role: 'user', search: 'person', sort };
    const whole = await ada.call(listUsers, { query });
    assert.equal(whole.length, 9);
    assert.deepEqual((await walk(ada, { ...query, limit: '2' })).flat(), whole, sort);
  }
});

test('a page of accounts continues where the last one ended, even if its last account was deleted', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const first = await ada.fetch('/api/admin/users?sort=username&limit=2');
  assert.deepEqual(names((await first.json()) as AdminUser[]), ['ada', 'frida']);
  await server.context.db.deleteFrom('users').where('usernameKey', '=', 'frida').execute();
  const next = /^<([^>]+)>/.exec(first.headers.get('link')!)![1]!;
  assert.deepEqual(names((await (await ada.fetch(next)).json()) as AdminUser[]), ['paula', 'prem']);
});

test('an invalid query for accounts and a cursor of another list are refused with 400', async (t) => {
  const ada = await (await startTestServer(t)).signIn('ada');
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const id = '00000000-0000-4000-8000-000000000000';
  const wrong: Record<string, string>[] = [
    { sort: 'size' },
    { tier: 'gold' },
    { role: 'root' },
    { limit: '0' },
    { limit: '201' },
    { search: 'a\0b' },
    { cursor: 'nonsense' },
    { cursor: encode(`oldest.${id}.1`) },
    { cursor: encode(`newest.${id}.x`) },
    { cursor: encode(`newest.${id}.9999999999999999`) },
    { sort: 'username', cursor: encode(`username.${id}.a\0b`) },
  ];
  for (const query of wrong)
    await assert.rejects(ada.call(listUsers, { query }), { status: 400 }, JSON.stringify(query));
  // A cursor after the last row gives an empty page and no error.
  for (const sort of USER_SORTS)
    assert.ok(Array.isArray(await ada.call(listUsers, { query: { sort, cursor: encode(`${sort}.${id}`) } })));
});
