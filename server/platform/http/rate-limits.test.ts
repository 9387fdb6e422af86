import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnBothEngines } from '../../testing/both-engines.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { transaction } from '../db/transaction.ts';
import { isAppError } from '../lib/app-error.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { claimFirstSighting, claimTry, formatWait, giveBackTry, takeTries, takeTry } from './rate-limits.ts';

const LIMIT = { key: 'mails:frida', limit: 10, windowMs: HOUR_MS };

describeOnBothEngines('a rate limit', (engine) => {
  async function start() {
    return { db: await engine.open(), clock: new ManualClock(), config: { rateLimit: true } };
  }

  test('takes what fits, refuses what does not, and counts nothing of a refusal', async () => {
    const deps = await start();
    assert.equal(await claimTry(deps, { ...LIMIT, cost: 8 }), undefined);
    deps.clock.advance(MINUTE_MS);
    const refusal = { remaining: 2, waitMs: HOUR_MS - MINUTE_MS };
    assert.deepEqual(await claimTry(deps, { ...LIMIT, cost: 3 }), refusal);
    assert.deepEqual(await claimTry(deps, { ...LIMIT, cost: 11 }), refusal);
    assert.equal(await claimTry(deps, { ...LIMIT, cost: 2 }), undefined);
    assert.equal(await claimTry(deps, { ...LIMIT, cost: 0 }), undefined);
    await assert.rejects(takeTry(deps, LIMIT), (error) => {
      assert.ok(isAppError(error, 'too_many_requests'));
      assert.equal(error.retryAfterSeconds, 59 * 60);
      assert.equal(error.message, 'Too many tries. Please wait 59 minutes and try again.');
      return true;
    });
  });

  test('says once that something is new, and again after it was forgotten', async () => {
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

  test('begins anew when its window has ended', async () => {
    const deps = await start();
    await takeTry(deps, { ...LIMIT, cost: 10 });
    deps.clock.advance(HOUR_MS - 1);
    await assert.rejects(takeTry(deps, LIMIT));
    deps.clock.advance(1);
    await takeTry(deps, { ...LIMIT, cost: 10 });
    await assert.rejects(takeTry(deps, LIMIT));
  });

  test('begins anew when its window was opened under a clock that ran ahead', async () => {
    const deps = await start();
    deps.clock.advance(365 * 24 * HOUR_MS);
    await takeTry(deps, { ...LIMIT, cost: 10 });
    deps.clock.advance(-365 * 24 * HOUR_MS);
    await takeTry(deps, { ...LIMIT, cost: 10 });
    await assert.rejects(takeTry(deps, LIMIT));
  });

  test('says what was never counted that it can never fit', async () => {
    const deps = await start();
    assert.deepEqual(await claimTry(deps, { ...LIMIT, cost: 11 }), { remaining: 10, waitMs: HOUR_MS });
  });

  test('lets exactly its number through of many at once, and takes tries back', async () => {
    const deps = await start();
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => takeTry(deps, LIMIT)));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10);
    await giveBackTry(deps, LIMIT);
    await takeTry(deps, LIMIT);
    await assert.rejects(takeTry(deps, LIMIT));
  });

  test('of many keys refuses all when one is full, with the transaction it stands in', async () => {
    const deps = await start();
    const mailboxes = { limit: 2, windowMs: HOUR_MS };
    const take = (...keys: string[]) =>
      transaction(deps.db, (trx) => takeTries({ ...deps, db: trx }, { ...mailboxes, keys }));
    await take('rex', 'vera');
    await take('rex');
    await assert.rejects(take('ada', 'rex', 'vera'), (error) => isAppError(error, 'too_many_requests'));
    const rows = await deps.db.selectFrom('rateCounters').select(['key', 'count']).orderBy('key').execute();
    assert.deepEqual(
      rows.map(({ key, count }) => [key, count]),
      [
        ['rex', 2],
        ['vera', 1],
      ],
    );
    await take();
  });

  test('counts nothing while limits are off', async () => {
    const deps = { ...(await start()), config: { rateLimit: false } };
    assert.equal(await claimTry(deps, { ...LIMIT, cost: 100 }), undefined);
    await takeTries(deps, { keys: ['rex'], limit: 0, windowMs: 1 });
    assert.deepEqual(await deps.db.selectFrom('rateCounters').selectAll().execute(), []);
  });
});

test('a wait is said in the unit a person would use', () => {
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
