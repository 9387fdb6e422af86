import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { ApiError } from '../../../../../client/api-error.ts';
import { SSO_OUTCOMES, type SsoOutcome } from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { HostileProvider } from '../../../../../testing/identity/hostile-provider.ts';
import { addProvider, begin, outcomeOf } from '../../../../../testing/identity/sso.ts';
import { startTestServer, type TestServer } from '../../../../../testing/test-context.ts';
import { ANSWERS } from './answers.ts';
import { type Case, type World, walk } from './case.ts';
import { DISCOVERY, ENDPOINTS } from './endpoints.ts';
import { PEOPLE } from './people.ts';
import { PURPOSES } from './purposes.ts';
import { TOKENS } from './tokens.ts';

const CASES: [name: string, outcome: SsoOutcome, each: Case][] = [
  ...Object.entries(TOKENS).map(([name, each]) => [`ID token: ${name}`, 'unverifiable', each] as never),
  ...[ANSWERS, ENDPOINTS, PEOPLE, PURPOSES].flatMap((group) =>
    Object.entries(group).map(([name, [outcome, each]]) => [name, outcome, each] as never),
  ),
];

describe('a hostile provider changes nothing, and the page says why', { concurrency: 1 }, () => {
  let server: TestServer;
  const stops: (() => unknown)[] = [];
  const context = { after: (stop: () => unknown) => stops.push(stop) } as unknown as TestContext;
  before(async () => {
    server = await startTestServer(context, { RATE_LIMIT: 'off' });
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  async function open({ tampering, settings, prepare }: Case): Promise<World> {
    const provider = await HostileProvider.start(context);
    const { id: providerId } = await addProvider(server, provider, { mayCreateAccounts: true, ...settings });
    provider.tampering = tampering ?? {};
    const world = { context, server, provider, providerId, client: server.anonymous() };
    await prepare?.(world);
    return world;
  }

  async function clean(): Promise<void> {
    const { db } = server.context;
    for (const table of ['identityProviders', 'externalIdentities', 'providerDomains', 'sessions'] as const)
      await db.deleteFrom(table).execute();
    await db.updateTable('users').set({ deletedAt: null }).execute();
  }

  for (const [name, outcome, each] of CASES)
    test(name, async () => {
      const world = await open(each);
      const earlier = await snapshot(server);
      const location = await (each.act ? each.act(world) : walk(world, each));
      assert.equal(outcomeOf(location), outcome);
      assert.ok(SSO_OUTCOMES[outcome].length > 20);
      assert.deepEqual(await snapshot(server), earlier);
      await clean();
    });

  for (const [name, tampering] of Object.entries(DISCOVERY))
    test(`discovery with ${name}`, async () => {
      const world = await open({ tampering });
      await assert.rejects(begin(world.client, world.providerId), (error: ApiError) => {
        const sentence = 'Example ID can’t be reached right now. Try again in a few minutes.';
        assert.deepEqual([error.status, error.code, error.detail], [503, 'sso_unreachable', sentence]);
        return true;
      });
      assert.deepEqual(world.client.jar.list(), []);
      await clean();
    });

  test('the same way without tampering signs in', async () => {
    const world = await open({});
    assert.equal(await walk(world, {}), '/dashboard');
    await clean();
  });
});

/** What a sign-in could change. Sessions that the test itself inserted began with no provider. */
async function snapshot({ context: { db } }: TestServer) {
  return {
    sessions: await db.selectFrom('sessions').select('id').where('providerId', 'is not', null).execute(),
    strengthened: await db.selectFrom('sessions').select('id').where('methods', 'like', '%oidc%').execute(),
    identities: await db.selectFrom('externalIdentities').select(['id', 'userId', 'lastUsedAt']).execute(),
    users: await db.selectFrom('users').select(['id', 'email', 'emailVerified']).orderBy('id').execute(),
    attempts: await db
      .selectFrom('signInAttempts')
      .select('id')
      .where('stage', '=', 'second-factor')
      .execute(),
  };
}
