import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import { describeOnBothEngines } from '../../../../testing/databases/both-engines.ts';
import { ManualClock } from '../../../../testing/lib/manual-clock.ts';
import { transaction } from '../../db/transaction.ts';
import { isAppError } from '../../lib/app-error.ts';
import {
  claimAllWithinLimit,
  claimFirstSighting,
  claimFromBudget,
  claimWithinLimit,
  deleteEndedCounters,
  formatWait,
  refundCounter,
  refundToBudget,
  requireAddressWithinLimits,
  requireWithinLimit,
} from './rate-limits.ts';

const LIMIT = { key: 'mails:frida', limit: 10, windowMs: HOUR_MS };

describeOnBothEngines('a rate limit', (engine) => {
  async function start() {
    return { db: await engine.open(), clock: new ManualClock(), config: { rateLimit: true } };
  }

  test('counts attempts within the limit, and refuses others without counting them', async () => {
    const deps = await start();
    assert.equal(await claimWithinLimit(deps, { ...LIMIT, cost: 8 }), undefined);
    deps.clock.advance(MINUTE_MS);
    const refusal = { remaining: 2, waitMs: HOUR_MS - MINUTE_MS };
    assert.deepEqual(await claimWithinLimit(deps, { ...LIMIT, cost: 3 }), refusal);
    assert.deepEqual(await claimWithinLimit(deps, { ...LIMIT, cost: 11 }), refusal);
    assert.equal(await claimWithinLimit(deps, { ...LIMIT, cost: 2 }), undefined);
    assert.equal(await claimWithinLimit(deps, { ...LIMIT, cost: 0 }), undefined);
    await assert.rejects(requireWithinLimit(deps, LIMIT), (error) => {
      assert.ok(isAppError(error, 'too_many_requests'));
      assert.equal(error.retryAfterSeconds, 59 * 60);
      assert.equal(error.message, 'Too many attempts. Please wait 59 minutes and try again.');
      return true;
    });
  });

  test('reports a first sighting once, and again after the window', async () => {
    const deps = await start();
    const sighting = { key: 'key-address:1', windowMs: HOUR_MS };
    const sightings = [1, 2, 3, 4].map(() => claimFirstSighting(deps, sighting));
    assert.deepEqual((await Promise.all(sightings)).filter(Boolean), [true]);
    deps.clock.advance(HOUR_MS - 1);
    assert.equal(await claimFirstSighting(deps, sighting), false);
    deps.clock.advance(HOUR_MS - 1);
    assert.equal(await claimFirstSighting(deps, sighting), false, 'each sighting prolongs it');
    deps.clock.advance(HOUR_MS);
    assert.equal(await claimFirstSighting(deps, sighting), true);
  });

  test('resets when its window has ended', async () => {
    const deps = await start();
    await requireWithinLimit(deps, { ...LIMIT, cost: 10 });
    deps.clock.advance(HOUR_MS - 1);
    await assert.rejects(requireWithinLimit(deps, LIMIT));
    deps.clock.advance(1);
    await requireWithinLimit(deps, { ...LIMIT, cost: 10 });
    await assert.rejects(requireWithinLimit(deps, LIMIT));
  });

  test('resets when its window was opened while the clock was ahead', async () => {
    const deps = await start();
    deps.clock.advance(365 * 24 * HOUR_MS);
    await requireWithinLimit(deps, { ...LIMIT, cost: 10 });
    deps.clock.advance(-365 * 24 * HOUR_MS);
    await requireWithinLimit(deps, { ...LIMIT, cost: 10 });
    await assert.rejects(requireWithinLimit(deps, LIMIT));
  });

  test('refuses a cost above the limit without counting it', async () => {
    const deps = await start();
    assert.deepEqual(await claimWithinLimit(deps, { ...LIMIT, cost: 11 }), {
      remaining: 10,
      waitMs: HOUR_MS,
    });
  });

  test('allows exactly its number of concurrent attempts, and refunds attempts', async () => {
    const deps = await start();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, () => requireWithinLimit(deps, LIMIT)),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10);
    await refundCounter(deps, LIMIT);
    await requireWithinLimit(deps, LIMIT);
    await assert.rejects(requireWithinLimit(deps, LIMIT));
  });

  test('reports the first exhausted key of several, and how long to wait', async () => {
    const deps = await start();
    const mailboxes = { limit: 2, windowMs: HOUR_MS };
    const take = (costs: Record<string, number>) =>
      transaction(deps.db, async (trx) => {
        const claim = { ...mailboxes, costs: new Map(Object.entries(costs)) };
        const refusal = await claimAllWithinLimit({ ...deps, db: trx }, claim);
        if (refusal) throw Object.assign(new Error('refused'), refusal);
      });
    await take({ rex: 1, vera: 1 });
    await take({ rex: 1 });
    await assert.rejects(take({ ada: 1, rex: 1, vera: 1 }), { key: 'rex', waitMs: HOUR_MS });
    await assert.rejects(take({ vera: 2 }), { key: 'vera' });
    await assert.rejects(take({ ada: 3 }), { key: 'ada', waitMs: HOUR_MS });
    const rows = await deps.db.selectFrom('rateCounters').select(['key', 'count']).orderBy('key').execute();
    assert.deepEqual(
      rows.map(({ key, count }) => [key, count]),
      [
        ['rex', 2],
        ['vera', 1],
      ],
    );
    await take({});
  });

  test('counts an IPv6 customer by /64, /56 and /48, and an IPv4 address alone', async () => {
    const deps = await start();
    const limit = { key: 'login', limit: 2, windowMs: HOUR_MS };
    const isCounted = (ip: string) =>
      requireAddressWithinLimits(deps, { ip } as FastifyRequest, limit).then(
        () => true,
        (error) => !isAppError(error, 'too_many_requests'),
      );
    const countOf = async (addresses: string[]) => {
      let counted = 0;
      for (const address of addresses) if (await isCounted(address)) counted += 1;
      return counted;
    };
    const networks = (start: number, count: number) =>
      Array.from({ length: count }, (_, index) => `2001:db8:7:${(start + index).toString(16)}::1`);
    assert.equal(await countOf(Array(4).fill('2001:db8:7::1')), 2, 'a /64');
    assert.equal(await countOf(networks(1, 6)), 2, 'the rest of its /56');
    assert.equal(await countOf(networks(0x100, 8)), 4, 'the rest of its /48');
    assert.equal(await countOf(networks(0x200, 2)), 0, 'nothing is left of the /48');
    assert.equal(await countOf(['2001:db8:8::1', '2001:db8:8::2', '2001:db8:8::3']), 2);
    assert.equal(await countOf(Array(4).fill('203.0.113.7')), 2);
    assert.equal(await countOf(['::ffff:203.0.113.7', '203.0.113.8']), 1);
  });

  test('a budget refills one attempt at a time, and refunds attempts', async () => {
    const deps = await start();
    const budget = { key: 'login:budget:frida', tries: 5, refillMs: MINUTE_MS };
    const waits = await Promise.all(Array.from({ length: 12 }, () => claimFromBudget(deps, budget)));
    assert.equal(waits.filter((wait) => wait === undefined).length, 5);
    assert.deepEqual([...new Set(waits)].toSorted(), [MINUTE_MS, undefined]);
    deps.clock.advance(MINUTE_MS - 1);
    assert.equal(await claimFromBudget(deps, budget), 1);
    deps.clock.advance(1);
    assert.equal(await claimFromBudget(deps, budget), undefined);
    assert.equal(await claimFromBudget(deps, budget), MINUTE_MS);
    await refundToBudget(deps, budget);
    assert.equal(await claimFromBudget(deps, budget), undefined);
    deps.clock.advance(4 * MINUTE_MS);
    await deleteEndedCounters(deps);
    assert.notEqual(
      await claimFromBudget({ ...deps }, budget),
      MINUTE_MS,
      'the sweep keeps what is not full',
    );
    deps.clock.advance(HOUR_MS);
    await deleteEndedCounters(deps);
    assert.deepEqual(await deps.db.selectFrom('rateCounters').selectAll().execute(), []);
  });

  test('counts nothing while limits are off', async () => {
    const deps = { ...(await start()), config: { rateLimit: false } };
    assert.equal(await claimWithinLimit(deps, { ...LIMIT, cost: 100 }), undefined);
    assert.equal(
      await claimAllWithinLimit(deps, { costs: new Map([['rex', 1]]), limit: 0, windowMs: 1 }),
      undefined,
    );
    assert.deepEqual(await deps.db.selectFrom('rateCounters').selectAll().execute(), []);
  });
});

test('a wait is formatted in a natural unit', () => {
  const words = [1, 89 * SECOND_MS, 90 * SECOND_MS, 120 * MINUTE_MS, 121 * MINUTE_MS, 24 * HOUR_MS];
  assert.deepEqual(words.map(formatWait), [
    '1 seconds',
    '89 seconds',
    '2 minutes',
    '120 minutes',
    '3 hours',
    '24 hours',
  ]);
});
