import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Endpoint } from '../../../contracts/endpoint.ts';
import {
  createPickupCode,
  deletePickupCode,
  formatPickupCode,
  getPickupCode,
  PICKUP_ALPHABET,
  parsePickupCode,
  pickUp,
} from '../../../contracts/transfers/downloads/pickup.ts';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { publishFiles } from '../../../testing/uploads/arriving-transfers.ts';
import { deriveCode, hashCode, hashesOf } from './codes.ts';
import { enterFrom, findWrongCode } from './pickup.fixtures.ts';

async function open(t: TestContext, settings: Record<string, string> = {}) {
  const server = await startTestServer(t, settings);
  const client = await server.signIn('paula');
  const send = () =>
    createReadyTransfer(server.context, {
      userId: server.userId('paula'),
      files: [{ path: 'a.txt', bytes: 'hello' }],
      expiresAt: server.clock.now() + 10 * DAY_MS,
    });
  return { server, client, send };
}

const enter = (client: Client, code: string) => client.call(pickUp, { body: { code } });

test('a code leads anybody to the transfer for a day, however it is typed', async (t) => {
  const { server, client, send } = await open(t);
  const { id, token } = await send();
  const params = { id };
  assert.deepEqual(await client.call(getPickupCode, { params }), { pickupCode: null });
  const created = await client.call(createPickupCode, { params });
  assert.match(created.code, /^[BCDFGHJKLMNPQRSTVWXZ]{6}$/);
  assert.equal(Date.parse(created.expiresAt), server.clock.now() + DAY_MS);
  assert.deepEqual(await client.call(getPickupCode, { params }), { pickupCode: created });
  const guest = server.anonymous();
  for (const typed of [
    created.code,
    formatPickupCode(created.code),
    ` ${created.code.toLowerCase().split('').join('-')} `,
  ])
    assert.deepEqual(await enter(guest, typed), { token });
  server.clock.advance(DAY_MS - 1);
  assert.deepEqual(await enter(guest, created.code), { token });
  server.clock.advance(1);
  await assert.rejects(enter(guest, created.code), { code: 'pickup_code_unknown', status: 404 });
  assert.deepEqual(await client.call(getPickupCode, { params }), { pickupCode: null });
});

test('a new code voids the one before, and codes end with their transfer or when they are voided', async (t) => {
  const { server, client, send } = await open(t);
  const { id } = await send();
  const params = { id };
  const guest = server.anonymous();
  const [first, second] = [
    await client.call(createPickupCode, { params }),
    await client.call(createPickupCode, { params }),
  ];
  assert.notEqual(first.code, second.code);
  await assert.rejects(enter(guest, first.code), { code: 'pickup_code_unknown' });
  await client.call(deletePickupCode, { params });
  await assert.rejects(enter(guest, second.code), { code: 'pickup_code_unknown' });
  const third = await client.call(createPickupCode, { params });
  await client.call(deleteTransfer, { params });
  await assert.rejects(enter(guest, third.code), { code: 'pickup_code_unknown' });
});

test('only the owner of a transfer that can be downloaded gets a code', async (t) => {
  const { server, client, send } = await open(t);
  const { id } = await send();
  const params = { id };
  const other = await server.signIn('frida');
  for (const endpoint of [getPickupCode, createPickupCode, deletePickupCode])
    await assert.rejects(other.call(endpoint as Endpoint, { params }), { code: 'transfer_not_found' });
  const { db } = server.context;
  await db.updateTable('transfers').set({ encryption: '{}' }).where('id', '=', id).execute();
  await assert.rejects(client.call(createPickupCode, { params }), { code: 'pickup_encrypted', status: 409 });
  await db.updateTable('transfers').set({ encryption: null }).where('id', '=', id).execute();
  server.clock.advance(10 * DAY_MS);
  await assert.rejects(client.call(createPickupCode, { params }), { code: 'transfer_expired' });
});

test('parallel requests leave one code, and the database contains neither it nor a plain hash', async (t) => {
  const { server, client, send } = await open(t);
  const { id, token } = await send();
  const params = { id };
  const created = await Promise.all(
    Array.from({ length: 8 }, () => client.call(createPickupCode, { params })),
  );
  const { pickupCode } = await client.call(getPickupCode, { params });
  const guest = server.anonymous();
  const outcomes = await Promise.all(created.map(({ code }) => enter(guest, code).catch(() => undefined)));
  assert.deepEqual(
    created.filter((_, index) => outcomes[index]?.token === token).map(({ code }) => code),
    [pickupCode?.code],
  );
  const rows = JSON.stringify(await server.context.db.selectFrom('pickupCodes').selectAll().execute());
  assert.ok(!rows.includes(pickupCode!.code));
  assert.notEqual(
    hashCode('another secret', pickupCode!.code),
    hashCode(server.context.secret, pickupCode!.code),
  );
});

test('ten wrong codes an hour per address, and right ones don’t count', async (t) => {
  const { server, client, send } = await open(t, { RATE_LIMIT: 'on' });
  const { id, token } = await send();
  const { code } = await client.call(createPickupCode, { params: { id } });
  const guest = server.anonymous();
  for (let times = 0; times < 15; times += 1) assert.deepEqual(await enter(guest, code), { token });
  for (let times = 0; times < 10; times += 1)
    await assert.rejects(enter(guest, findWrongCode([code], times)), { code: 'pickup_code_unknown' });
  await assert.rejects(enter(guest, code), { code: 'too_many_requests', status: 429 });
  server.clock.advance(HOUR_MS);
  assert.deepEqual(await enter(guest, code), { token });
});

test('guesses from any number of addresses share a budget of 60 that refills by one every two minutes', async (t) => {
  const { server, client, send } = await open(t, { RATE_LIMIT: 'on', TRUST_PROXY: '1' });
  const { id, token } = await send();
  const { code } = await client.call(createPickupCode, { params: { id } });
  const guess = (address: string, text: string) => enterFrom(server, { address, code: text });
  let refused = 0;
  for (let index = 0; index < 70; index += 1)
    if ((await guess(`198.51.100.${index}`, findWrongCode([code], index))) === 429) refused += 1;
  assert.equal(refused, 10);
  server.clock.advance(2 * MINUTE_MS);
  assert.equal(await guess('203.0.113.1', findWrongCode([code], 1)), 404);
  assert.equal(await guess('203.0.113.2', findWrongCode([code], 2)), 429);
  server.clock.advance(2 * MINUTE_MS);
  assert.equal(await guess('203.0.113.3', code), 200);
  assert.equal(await guess('203.0.113.4', code), 200, 'a right code is given back');
  assert.ok(token);
});

test('while all attempts are used up, those of an address do not count', async (t) => {
  const { server, client, send } = await open(t, { RATE_LIMIT: 'on', TRUST_PROXY: '1' });
  const { id } = await send();
  const { code } = await client.call(createPickupCode, { params: { id } });
  for (let index = 0; index < 60; index += 1)
    await enterFrom(server, { address: `198.51.100.${index}`, code: findWrongCode([code], index) });
  const person = { address: '203.0.113.1', code };
  for (let times = 0; times < 11; times += 1) assert.equal(await enterFrom(server, person), 429);
  server.clock.advance(2 * MINUTE_MS);
  assert.equal(await enterFrom(server, person), 200);
});

test('a transfer whose files are still arriving has a code, too', async (t) => {
  const { server, client } = await open(t);
  const { id, token } = await publishFiles(client, [{ name: 'a.txt', bytes: Buffer.from('hello') }]);
  const { code } = await client.call(createPickupCode, { params: { id } });
  assert.deepEqual(await enter(server.anonymous(), code), { token });
});

test('codes that have expired are deleted', async (t) => {
  const { server, client, send } = await open(t);
  await client.call(createPickupCode, { params: { id: (await send()).id } });
  const count = async () =>
    (await server.context.db.selectFrom('pickupCodes').select('transferId').execute()).length;
  for (let times = 0; times < 3; times += 1) {
    server.clock.advance(9 * HOUR_MS);
    await server.drainJobs();
  }
  assert.equal(await count(), 0);
});

test('a code survives the replacement of the server’s secret', () => {
  const code = deriveCode('old', 'transfer', 'nonce');
  assert.ok(hashesOf({ secret: 'new', previousSecret: 'old' }, code).includes(hashCode('old', code)));
  assert.ok(!hashesOf({ secret: 'new' }, code).includes(hashCode('old', code)));
});

test('codes use every letter about equally often', () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 4_000; index += 1)
    for (const letter of deriveCode('secret', 'transfer', String(index)))
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
  assert.equal(counts.size, PICKUP_ALPHABET.length);
  for (const count of counts.values()) assert.ok(count > 1_000 && count < 1_400, String(count));
  assert.equal(parsePickupCode('KVXRM'), undefined);
  assert.equal(parsePickupCode('KVXRMA'), undefined);
});
