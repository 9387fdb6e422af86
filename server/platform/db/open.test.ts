import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnBothEngines } from '../../../testing/databases/both-engines.ts';
import { isAppError } from '../lib/app-error.ts';
import { isUniqueViolation } from './engines/errors.ts';
import type { Db } from './open.ts';
import { transaction } from './transaction.ts';

const user = (name: string) => ({
  id: name,
  name,
  username: name,
  usernameKey: name,
  passwordHash: '',
  email: `${name}@example.org`,
  emailKey: `${name}@example.org`,
  emailVerified: 0 as const,
  isAdmin: 0 as const,
  tier: 'free' as const,
  createdAt: 1,
});

const transfer = (id: string, userId: string) => ({
  id,
  userId,
  token: `token-${id}`,
  status: 'ready' as const,
  recipientEmails: '[]',
  createdAt: 1,
});

describeOnBothEngines('the database', (engine) => {
  test('stores byte counts and instants exactly up to 2^53, and returns sums as numbers', async () => {
    const db = await engine.open();
    const largest = Number.MAX_SAFE_INTEGER;
    await db.insertInto('users').values(user('frida')).execute();
    await db
      .insertInto('monthlyUsage')
      .values({ userId: 'frida', month: '2026-11', bytes: largest })
      .execute();
    const { total } = await db
      .selectFrom('monthlyUsage')
      .select((eb) => eb.fn.sum<number>('bytes').as('total'))
      .executeTakeFirstOrThrow();
    assert.equal(total, largest);
  });

  test('stores true and false as 1 and 0, and undefined as null', async () => {
    const db = await engine.open();
    const values = { ...user('frida'), isAdmin: true as unknown as 1, paymentCustomerId: undefined };
    await db.insertInto('users').values(values).execute();
    const row = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    assert.equal(row.isAdmin, 1);
    assert.equal(row.paymentCustomerId, null);
  });

  test('refuses dates, fractions and numbers beyond 2^53 instead of storing something else', async () => {
    const db = await engine.open();
    for (const wrong of [new Date(0), 0.5, Number.NaN, 2 ** 53, {}]) {
      const values = { ...user('frida'), createdAt: wrong as number };
      await assert.rejects(db.insertInto('users').values(values).execute(), TypeError);
    }
    assert.deepEqual(await db.selectFrom('users').selectAll().execute(), []);
  });

  test('reports which unique index a row violates', async () => {
    const db = await engine.open();
    await db.insertInto('users').values(user('frida')).execute();
    const sameName = db
      .insertInto('users')
      .values({ ...user('other'), usernameKey: 'frida' })
      .execute();
    await assert.rejects(sameName, (error) => {
      assert.ok(isUniqueViolation(error));
      assert.ok(isUniqueViolation(error, 'users.usernameKey'));
      assert.ok(!isUniqueViolation(error, 'users.emailKey'));
      return isAppError(error, 'conflict');
    });
    const sameId = db
      .insertInto('users')
      .values({ ...user('third'), id: 'frida' })
      .execute();
    await assert.rejects(sameId, (error) => isUniqueViolation(error, 'users.id'));
    const usage = { userId: 'frida', month: '2026-11', bytes: 1 };
    await db.insertInto('monthlyUsage').values(usage).execute();
    await assert.rejects(db.insertInto('monthlyUsage').values(usage).execute(), (error) =>
      isUniqueViolation(error, 'monthlyUsage.userId.month'),
    );
  });

  test('reports a row without its parent as a conflict', async () => {
    const db = await engine.open();
    const orphan = db.insertInto('transfers').values(transfer('t', 'nobody')).execute();
    await assert.rejects(orphan, (error) => isAppError(error, 'conflict'));
  });

  test("deletes a user's rows together with the user", async () => {
    const db = await engine.open();
    await db
      .insertInto('users')
      .values([user('frida'), user('paula')])
      .execute();
    await db
      .insertInto('transfers')
      .values([transfer('a', 'frida'), transfer('b', 'paula')])
      .execute();
    const mail = {
      kind: 'x',
      recipient: 'r',
      subject: '',
      text: '',
      html: '',
      state: 'queued',
      createdAt: 1,
    } as const;
    await db
      .insertInto('mails')
      .values({ ...mail, id: 'm', transferId: 'a' })
      .execute();
    await db.deleteFrom('users').where('id', '=', 'frida').execute();
    const left = await db.selectFrom('transfers').select('id').execute();
    assert.deepEqual(
      left.map(({ id }) => id),
      ['b'],
    );
    assert.deepEqual(await db.selectFrom('mails').select('id').execute(), []);
  });

  test('rolls back a whole transaction', async () => {
    const db = await engine.open();
    const failing = transaction(db, async (trx) => {
      await trx.insertInto('users').values(user('frida')).execute();
      throw new Error('no');
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.deepEqual(await db.selectFrom('users').selectAll().execute(), []);
  });

  test('loses none of twenty concurrent updates in transactions', async () => {
    const db = await engine.open();
    await db.insertInto('settings').values({ id: 's', key: 'k', value: '', updatedAt: 0 }).execute();
    await Promise.all(Array.from({ length: 20 }, () => transaction(db, increment)));
    assert.equal(
      (await db.selectFrom('settings').select('updatedAt').executeTakeFirstOrThrow()).updatedAt,
      20,
    );
  });

  test('decides a race at a limit by a conditional update', async () => {
    const db = await engine.open();
    await db.insertInto('settings').values({ id: 's', key: 'k', value: '', updatedAt: 0 }).execute();
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimBelow(db, 7)));
    assert.equal(claims.filter(Boolean).length, 7);
  });
});

async function increment(db: Db): Promise<void> {
  await db
    .updateTable('settings')
    .set((eb) => ({ updatedAt: eb('updatedAt', '+', 1) }))
    .execute();
}

async function claimBelow(db: Db, limit: number): Promise<boolean> {
  const row = await db
    .updateTable('settings')
    .set((eb) => ({ updatedAt: eb('updatedAt', '+', 1) }))
    .where('updatedAt', '<', limit)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
