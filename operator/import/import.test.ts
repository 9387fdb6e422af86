import assert from 'node:assert/strict';
import { globSync, statSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { login } from '../../contracts/accounts/accounts.ts';
import { verifyDownload, viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../contracts/values/durations.ts';
import type { Client } from '../../testing/calls/client.ts';
import type { ImportFixture } from '../../testing/imports/fixture.ts';
import { makeGokapi } from '../../testing/imports/gokapi.ts';
import { makePalmr } from '../../testing/imports/palmr.ts';
import { makePingvin } from '../../testing/imports/pingvin.ts';
import { makeProjectSend } from '../../testing/imports/projectsend.ts';
import { type Facts, runImport } from '../../testing/imports/run-import.ts';
import { startTestServer, type TestServer } from '../../testing/test-context.ts';
import type { Product } from './source.ts';

const countsOf = ({ users, shares, files, bytes }: Facts) => ({ users, shares, files, bytes });

/** Names, sizes and times of everything in a folder. */
function photograph(folder: string): string {
  return globSync('**/*', { cwd: folder })
    .sort()
    .map((path) => {
      const { size, mtimeMs } = statSync(`${folder}/${path}`);
      return `${path} ${size} ${mtimeMs}`;
    })
    .join('\n');
}

async function countEverything({ context: { db, blobs } }: TestServer) {
  const counts: Record<string, number> = {};
  for (const table of [
    'users',
    'transfers',
    'files',
    'transferRecipients',
    'mails',
    'monthlyUsage',
    'imports',
    'importedItems',
    'importedBlobs',
    'importedAddresses',
  ] as const) {
    const { count } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    counts[table] = Number(count);
  }
  counts.blobs = 0;
  for await (const _blob of blobs.list()) counts.blobs += 1;
  return counts;
}

/** Follows an old link; returns the token of the transfer here. */
async function follow(client: Client, path: string): Promise<string | undefined> {
  const answer = await client.fetch(path);
  if (answer.status === 404) return undefined;
  assert.equal(answer.status, 302, path);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  return /^\/download\/([0-9a-z]{26})$/.exec(answer.headers.get('location')!)![1];
}

async function checkLink(server: TestServer, link: ImportFixture['links'][number]): Promise<void> {
  const guest = server.anonymous();
  const token = (await follow(guest, link.path))!;
  assert.ok(token, link.path);
  const params = { token };
  if (link.password !== undefined) {
    assert.equal((await guest.call(viewDownload, { params })).unlocked, false);
    await assert.rejects(guest.call(verifyDownload, { params, body: { password: 'wrong one' } }), {
      status: 401,
    });
    const stored = () =>
      server.context.db
        .selectFrom('transfers')
        .select('passwordHash')
        .where('token', '=', token)
        .executeTakeFirstOrThrow();
    const before = await stored();
    await guest.call(verifyDownload, { params, body: { password: link.password } });
    const after = await stored();
    assert.notEqual(after.passwordHash, before.passwordHash, 'the hash is replaced at the first unlock');
    assert.match(after.passwordHash!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await server.anonymous().call(verifyDownload, { params, body: { password: link.password } });
  }
  const view = await guest.call(viewDownload, { params });
  assert.equal(view.title, link.title, link.path);
  const files = view.files!.map(({ relativePath }) => relativePath);
  assert.deepEqual(files.sort(), Object.keys(link.files).sort());
  const row = await server.context.db
    .selectFrom('transfers')
    .select(['id', 'maxDownloads', 'downloadCount', 'recipientEmails'])
    .where('token', '=', token)
    .executeTakeFirstOrThrow();
  if (link.downloads)
    assert.deepEqual({ count: row.downloadCount, max: row.maxDownloads }, link.downloads, link.path);
  assert.deepEqual(JSON.parse(row.recipientEmails).sort(), (link.recipients ?? []).sort(), link.path);
  for (const { id, relativePath } of view.files!) {
    const bytes = Buffer.from(await (await guest.fetch(fileDownloadPath(token, id))).arrayBuffer());
    assert.ok(bytes.equals(link.files[relativePath]!), relativePath);
  }
}

async function checkSignIn(
  server: TestServer,
  { login: username, password }: ImportFixture['people'][number],
) {
  const client = server.anonymous();
  await assert.rejects(client.call(login, { body: { username, password: `${password}!` } }), { status: 401 });
  await client.call(login, { body: { username, password } });
  const column = username.includes('@') ? 'emailKey' : 'usernameKey';
  const { passwordHash } = await server.context.db
    .selectFrom('users')
    .select('passwordHash')
    .where(column, '=', username)
    .executeTakeFirstOrThrow();
  assert.match(passwordHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/, username);
  await server.anonymous().call(login, { body: { username, password } });
}

async function drain(server: TestServer): Promise<void> {
  for (let minute = 0; minute < 3; minute += 1) {
    await server.drainJobs();
    server.clock.advance(MINUTE_MS);
  }
}

const FIXTURES: [Product, (t: TestContext, now: number) => Promise<ImportFixture>][] = [
  ['pingvin', makePingvin],
  ['palmr', makePalmr],
  ['gokapi', makeGokapi],
  ['projectsend', makeProjectSend],
];

for (const [product, make] of FIXTURES) {
  test(`${product}: rehearsal, import, repetition and undo`, async (t) => {
    const server = await startTestServer(t, { RATE_LIMIT: 'off' });
    const fixture = await make(t, server.clock.now());
    const { folder: from } = fixture;
    const before = await countEverything(server);
    const photo = photograph(from);

    const rehearsal = await runImport(server, product, { from, dryRun: true });
    assert.deepEqual(countsOf(rehearsal), fixture.counts, JSON.stringify(rehearsal.problems, null, 1));
    assert.equal(rehearsal.code, 3);
    assert.deepEqual(await countEverything(server), before, 'a rehearsal changes nothing');

    const imported = await runImport(server, product, { from });
    assert.deepEqual(countsOf(imported), fixture.counts);
    assert.equal(photograph(from), photo, 'the source is not written to');
    const after = await countEverything(server);
    assert.equal(after.transfers, fixture.counts.shares.imported);
    assert.equal(after.files, fixture.counts.files.imported);
    assert.equal(after.users! - before.users!, fixture.counts.users.created);
    assert.deepEqual([after.importedBlobs, after.mails, after.monthlyUsage], [0, 0, 0]);

    const again = await runImport(server, product, { from });
    const { users, shares } = again;
    assert.deepEqual(
      [
        users.created,
        users.joined,
        shares.imported,
        users.alreadyImported,
        shares.alreadyImported,
        again.bytes,
      ],
      [0, 0, 0, users.found - users.skipped, fixture.counts.shares.imported, 0],
    );
    assert.deepEqual(await countEverything(server), after, 'a second run imports nothing');

    const undone = await runImport(server, 'undo', { yes: true });
    assert.deepEqual(
      [undone.code, undone.transfers, undone.users, undone.keptTransfers, undone.keptUsers],
      [0, fixture.counts.shares.imported, fixture.counts.users.created, 0, 0],
    );
    await drain(server);
    assert.deepEqual(await countEverything(server), before, 'undo leaves no row and no blob');
    assert.equal(await follow(server.anonymous(), fixture.links[0]!.path), undefined);
  });

  test(`${product}: old passwords, links and bytes work, and undo keeps what was used`, async (t) => {
    const server = await startTestServer(t, { RATE_LIMIT: 'off' });
    const fixture = await make(t, server.clock.now());
    await runImport(server, product, { from: fixture.folder });
    for (const person of fixture.people) await checkSignIn(server, person);
    for (const link of fixture.links) await checkLink(server, link);
    for (const path of fixture.deadLinks)
      assert.equal(await follow(server.anonymous(), path), undefined, path);
    await drain(server);
    const { unchecked } = await server.context.db
      .selectFrom('files')
      .select(({ fn }) => fn.countAll().as('unchecked'))
      .where((eb) => eb.or([eb('checkedAt', 'is', null), eb('suspectedAt', 'is not', null)]))
      .executeTakeFirstOrThrow();
    assert.equal(Number(unchecked), 0, 'the stored bytes were read and are right');
    const undone = await runImport(server, 'undo', { yes: true });
    assert.deepEqual([undone.code, undone.transfers], [3, 0]);
    assert.equal(undone.keptTransfers, fixture.links.length);
    assert.ok((undone.keptUsers as number) >= fixture.people.length);
    for (const { path } of fixture.links) assert.ok(await follow(server.anonymous(), path), path);
  });
}
