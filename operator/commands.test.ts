import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { getCurrentUser, login } from '../contracts/accounts/accounts.ts';
import type { DeletionSafety } from '../contracts/admin/system.ts';
import { viewDownload } from '../contracts/transfers/downloads/downloads.ts';
import { DAY_MS } from '../contracts/values/durations.ts';
import { CAST, PASSWORD } from '../testing/cast.ts';
import { onlyInAll } from '../testing/lib/only-in-all.ts';
import { runCli, runCliForJson } from '../testing/processes/run-cli.ts';
import {
  prepareServerProcess,
  type ServerProcess,
  startServerProcess,
} from '../testing/processes/server-process.ts';
import { sendTransfer } from '../testing/uploads/send-transfer.ts';
import { makeBytes } from '../testing/uploads/upload-files.ts';

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-cli-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function pathOf(server: ServerProcess, fileName: string): string {
  const row = server.withDatabase((db) =>
    db.prepare('select "storageKey" from files where "originalName" = ?').get(fileName),
  ) as { storageKey: string };
  return join(server.dataDir, 'blobs', row.storageKey.slice(0, 2), row.storageKey);
}

test('help, invalid usage and invalid settings have their messages and exit codes', async (t) => {
  const { environment } = await prepareServerProcess(t);
  const help = await runCli(environment);
  assert.equal(help.code, 0);
  for (const name of ['backup', 'restore', 'verify-storage', 'create-admin', 'migrate', 'export-user'])
    assert.ok(help.stdout.includes(`  ${name}`), name);
  assert.match((await runCli(environment, 'backup', '--help')).stdout, /--without-files/);
  for (const args of [['frob'], ['backup'], ['backup', 'a', 'b'], ['verify-storage', '--deeper']])
    assert.equal((await runCli(environment, ...args)).code, 2, args.join(' '));
  const nowhere = await runCli(environment, 'verify-storage');
  assert.deepEqual([nowhere.code, nowhere.stderr.includes('no database')], [1, true]);
  const wrong = await runCli({ ...environment, PORT: 'none' }, 'verify-storage');
  assert.deepEqual([wrong.code, wrong.stderr.startsWith('PORT ')], [1, true]);
});

test('a jumped clock and a stopped sweep are reported and can be confirmed', onlyInAll, async (t) => {
  const server = await startServerProcess(t);
  const { environment } = server;
  const insertSetting = (key: string, value: object) =>
    server.withDatabase((db) =>
      db
        .prepare('insert or replace into settings (id, key, value, "updatedAt") values (?, ?, ?, 0)')
        .run(key, key, JSON.stringify(value)),
    );
  const calm = await runCliForJson(environment, 'sweep-status');
  assert.deepEqual([calm.code, calm.clock, calm.sweep], [0, null, null]);
  for (const command of ['confirm-clock', 'confirm-sweep'])
    assert.equal((await runCli(environment, command)).code, 1, command);

  insertSetting('clockState', { generation: 7, expectedAt: Date.now() - 400 * DAY_MS, stop: null });
  insertSetting('orphanSweepStop', {
    id: 'stop',
    since: 0,
    countedAt: 0,
    olderThan: 1,
    orphans: 12,
    bytes: 24,
    blobs: 20,
    sample: ['key'],
    confirmed: null,
  });
  const { code, ...rest } = await runCliForJson(environment, 'sweep-status');
  const { clock, sweep } = rest as unknown as DeletionSafety;
  assert.equal(code, 3);
  assert.ok(Math.abs(clock!.jumpSeconds - 400 * 86_400) < 600);
  assert.deepEqual([sweep!.blobs, sweep!.allBlobs, sweep!.confirmed], [12, 20, null]);
  assert.match((await runCli(environment, 'sweep-status')).stdout, /confirm-sweep 12/);
  assert.equal((await runCli(environment, 'confirm-sweep', '11')).code, 1);
  assert.equal((await runCli(environment, 'confirm-sweep', '12')).code, 0);
  assert.equal((await runCli(environment, 'confirm-clock')).code, 0);
  assert.equal((await runCli(environment, 'confirm-clock')).code, 1);
});

test(
  'verify-storage runs beside a server, records damage after two runs and lists it until it is repaired',
  onlyInAll,
  async (t) => {
    const server = await startServerProcess(t);
    const files = ['gone', 'short', 'rotten', 'good'].map((fileName, index) => ({
      fileName,
      bytes: makeBytes(6_000_000 * (fileName === 'good' ? 1 : 2), `${index}`),
    }));
    const sent = await sendTransfer(await server.signIn(), files);
    const clean = await runCliForJson(server.environment, 'verify-storage', '--deep');
    assert.deepEqual([clean.code, clean.files, clean.findings], [0, 4, []]);

    await unlink(pathOf(server, 'gone'));
    await truncate(pathOf(server, 'short'), 5_000);
    const rotten = readFileSync(pathOf(server, 'rotten'));
    rotten[7_000_000]! ^= 1;
    await writeFile(pathOf(server, 'rotten'), rotten);
    const kindsOf = ({ findings }: Record<string, unknown>) =>
      (findings as { kind: string }[]).map(({ kind }) => kind).sort();
    const quick = await runCliForJson(server.environment, 'verify-storage');
    assert.deepEqual([quick.code, kindsOf(quick)], [3, ['missing', 'short']]);
    const verify = (...options: string[]) => runCliForJson(server.environment, 'verify-storage', ...options);
    const listDamaged = async () => {
      const view = await server.anonymous().call(viewDownload, { params: { token: sent.token } });
      return view.files!.map(({ isDamaged }) => isDamaged);
    };
    const repaired = await verify('--deep', '--repair');
    assert.deepEqual([kindsOf(repaired), repaired.repaired], [['damaged', 'missing', 'short'], 3]);
    assert.deepEqual(await listDamaged(), [false, false, false, false], 'one reading is not enough');
    server.withDatabase((db) => db.exec('update files set "suspectedAt" = "suspectedAt" - 660000'));
    assert.equal((await verify('--deep', '--repair')).repaired, 3);
    assert.deepEqual(await listDamaged(), [true, true, true, false]);

    const again = await verify();
    assert.deepEqual([again.code, kindsOf(again)], [3, ['damaged', 'damaged', 'damaged']], 'in every run');
    assert.deepEqual([(await verify('--deep', '--repair')).code, (await verify()).code], [3, 3]);
    for (const [index, name] of ['gone', 'short', 'rotten'].entries())
      await writeFile(pathOf(server, name), files[index]!.bytes);
    const healed = await verify('--deep');
    assert.deepEqual([healed.code, healed.healed, healed.findings], [0, 3, []]);
    assert.deepEqual(await listDamaged(), [false, false, false, false]);
  },
);

test('an administrator is created from the environment, and an existing user is promoted', async (t) => {
  const server = await startServerProcess(t);
  const env = {
    ...server.environment,
    ADMIN_USERNAME: 'root',
    ADMIN_EMAIL: 'root@example.org',
    ADMIN_PASSWORD: 'a good password',
  };
  const created = await runCliForJson(env, 'create-admin');
  assert.deepEqual([created.code, created.created], [0, true]);
  const root = server.anonymous();
  await root.call(login, { body: { username: 'root', password: 'a good password' } });
  const again = await runCliForJson(env, 'create-admin');
  assert.deepEqual([again.code, again.created], [0, false]);
  server.withDatabase((db) => db.exec(`update users set "isAdmin" = 0 where username = 'root'`));
  const unasked = await runCli(env, 'create-admin', '--username', 'root');
  assert.deepEqual([unasked.code, unasked.stderr.includes('--yes')], [1, true]);
  assert.equal((await runCliForJson(env, 'create-admin', '--username', 'ROOT', '--yes')).code, 0);
  const { isAdmin } = server.withDatabase((db) =>
    db.prepare(`select "isAdmin" from users where username = 'root'`).get(),
  ) as { isAdmin: number };
  assert.equal(isAdmin, 1);
});

test('migrate reports pending migrations once, and none afterwards', async (t) => {
  const { environment } = await prepareServerProcess(t);
  const first = await runCliForJson(environment, 'migrate');
  assert.ok((first.migrations as string[]).includes('0001-first'));
  assert.deepEqual((await runCliForJson(environment, 'migrate')).migrations, []);
});

test(
  'a user’s export contains their records without secrets and their files unchanged',
  onlyInAll,
  async (t) => {
    const server = await startServerProcess(t);
    const client = await server.signIn();
    const files = [
      { fileName: 'a.bin', bytes: makeBytes(11_000_000, 'a') },
      { fileName: 'b.txt', bytes: Buffer.from('hello') },
      { fileName: 'b.txt', bytes: Buffer.from('again') },
      { fileName: 'b.txt.tmp', bytes: Buffer.from('half') },
      { fileName: 'empty', bytes: Buffer.alloc(0) },
    ];
    const sent = await sendTransfer(client, files, { recipientEmails: ['rex@example.org'] });
    const { id: userId } = await client.call(getCurrentUser);
    server.withDatabase((db) => {
      for (const id of ['hook-a', 'hook-b']) {
        db.prepare(
          `insert into webhooks (id, "userId", url, events, secret, "createdAt") values (?, ?, 'https://a.example', '[]', 'sealed', 0)`,
        ).run(id, userId);
        db.prepare(
          `insert into "webhookDeliveries" ("webhookId", id, type, body, state, "createdAt") values (?, 'event', 'ping', '{}', 'failed', 0)`,
        ).run(id);
      }
    });
    const folder = join(await makeFolder(t), 'export');
    const done = await runCliForJson(server.environment, 'export-user', CAST.ada.email, folder);
    assert.deepEqual([done.code, done.files, done.missing], [0, 5, 0]);
    const names = readdirSync(join(folder, 'files', sent.id));
    const contents = names.map((name) => readFileSync(join(folder, 'files', sent.id, name)));
    for (const { bytes, fileName } of files)
      assert.ok(
        contents.some((found) => found.equals(bytes)),
        fileName,
      );
    const read = (name: string) =>
      JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Record<string, unknown>[];
    assert.equal(read('transfer-recipients').length, 1);
    // A mail to a recipient belongs to no user, but to a transfer of the user.
    const mails = read('mails').filter(({ recipient }) => recipient === 'rex@example.org');
    assert.deepEqual(
      mails.map(({ transferId }) => transferId),
      [sent.id],
    );
    assert.equal(new Set(read('mails').map(({ id }) => id)).size, read('mails').length);
    assert.deepEqual(
      read('webhook-deliveries').map(({ webhookId }) => webhookId),
      ['hook-a', 'hook-b'],
    );
    const all = readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    assert.ok(all.includes(CAST.ada.email) && all.includes(sent.token));
    for (const secret of ['argon2', 'Hash"', 'storageKey', PASSWORD])
      assert.ok(!all.includes(secret), secret);
    const occupied = await runCli(server.environment, 'export-user', CAST.ada.username, folder);
    assert.deepEqual([occupied.code, occupied.stderr.includes('not empty')], [1, true]);
    const nobody = await runCli(server.environment, 'export-user', 'nobody-here', `${folder}-2`);
    assert.deepEqual([nobody.code, existsSync(`${folder}-2`)], [1, false]);
  },
);
