import assert from 'node:assert/strict';
import test from 'node:test';
import { getCurrentUser, login, register } from '../../../contracts/accounts/accounts.ts';
import { listSessions, updateProfile } from '../../../contracts/accounts/settings.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import { PASSWORD } from '../../../testing/cast.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';

const NINA = { name: 'Nina New', username: 'nina', email: 'nina@example.org', password: 'nina has a cat' };

type Table = 'sessions' | 'emailVerificationCodes' | 'emailChanges' | 'rateCounters';

async function count({ context }: TestServer, table: Table): Promise<number> {
  return (await context.db.selectFrom(table).selectAll().execute()).length;
}

/** Runs the sweep now and an hour later, because removal requires a clock that was steady for an hour. */
async function sweepTwice(server: TestServer): Promise<void> {
  await server.drainJobs();
  server.clock.advance(HOUR_MS);
  await server.drainJobs();
}

test('only expired rows are removed', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const change = { email: 'frida.new@example.org', currentPassword: PASSWORD };
  await frida.call(updateProfile, { body: change });
  await server.anonymous().call(register, { body: NINA });
  assert.deepEqual(
    [await count(server, 'emailVerificationCodes'), await count(server, 'emailChanges')],
    [2, 1],
  );
  server.clock.advance(29 * DAY_MS);
  const paula = await server.signIn('paula');
  server.clock.advance(DAY_MS);
  await sweepTwice(server);
  assert.equal(await count(server, 'sessions'), 1);
  for (const table of ['emailVerificationCodes', 'emailChanges', 'rateCounters'] as const)
    assert.equal(await count(server, table), 0, table);
  assert.equal((await paula.call(listSessions)).length, 1);
});

for (const [name, jumpMs] of [
  ['a day', DAY_MS],
  ['ten years', 3_652 * DAY_MS],
] as const) {
  test(`a clock that jumps ${name} ahead and is then corrected ends no session and clears no throttle`, async (t) => {
    const server = await startTestServer(t);
    const frida = await server.signIn('frida');
    const guess = (password: string) =>
      server.anonymous().call(login, { body: { username: 'paula', password } });
    for (let tries = 0; tries < 10; tries += 1) await assert.rejects(guess('wrong'), { status: 401 });
    await sweepTwice(server);
    for (let tries = 0; tries < 10; tries += 1) await assert.rejects(guess('wrong'), { status: 401 });
    server.clock.jump(jumpMs);
    await server.drainJobs();
    server.clock.jump(-jumpMs);
    await server.drainJobs();
    await frida.call(getCurrentUser);
    await assert.rejects(guess(PASSWORD), { status: 429 });
  });
}

test('hours during which the server was off count after an hour of steady clock', async (t) => {
  const server = await startTestServer(t);
  await server.signIn('frida');
  await sweepTwice(server);
  server.clock.advance(29 * DAY_MS + 12 * HOUR_MS);
  server.clock.jump(20 * HOUR_MS);
  await server.drainJobs();
  assert.equal(await count(server, 'sessions'), 1);
  await sweepTwice(server);
  assert.equal(await count(server, 'sessions'), 0);
});
