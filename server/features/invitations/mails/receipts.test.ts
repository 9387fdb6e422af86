import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test, { type TestContext } from 'node:test';
import { deleteTransfer } from '../../../../contracts/transfers/transfers.ts';
import { HOUR_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import { removeAccount } from '../../../../testing/calls/left-of-account.ts';
import { mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { CAST } from '../../../../testing/cast.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { startInvitation, VERA } from '../../../../testing/visitors/visit.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { enqueueCheck } from '../../checksums/check-files.ts';
import { CONFIRM_DAMAGE_AFTER_MS } from '../../checksums/verdicts.ts';
import { enqueueReceipt, sendReceiptJob } from './receipts.ts';

const BYTES = { 'Set/a.txt': 'the first file', 'Set/b <i>.txt': 'the second' };

/** A visitor's transfer that has just become ready; its files are not checked yet. */
async function setStage(
  t: TestContext,
  files: Record<string, string> = BYTES,
): Promise<{ server: TestServer; transfer: ReadyTransfer }> {
  const server = await startTestServer(t);
  const { id: invitationId } = await startInvitation(await server.signIn('prem'));
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('prem'),
    title: 'Studio pictures',
    files: Object.entries(files).map(([path, bytes]) => ({ path, bytes })),
  });
  await server.context.db
    .updateTable('transfers')
    .set({ invitationId, receivedFrom: VERA })
    .where('id', '=', transfer.id)
    .execute();
  return { server, transfer };
}

const requestReceipt = ({ context }: TestServer, { id: transferId }: ReadyTransfer) =>
  transaction(context.db, (trx) => enqueueReceipt(trx, { transferId }));

const check = ({ context }: TestServer, { id }: ReadyTransfer) =>
  transaction(context.db, (trx) => enqueueCheck(trx, id));

/** Without a mail server, sent mails keep their text. */
const receipts = (server: TestServer) => mailsTo(server, 'visitor-receipt', VERA);

const sum = (text: string) => createHash('sha256').update(text).digest('hex');

test('visitors get a receipt with each file and its SHA-256 once all checksums are known', async (t) => {
  const { server, transfer } = await setStage(t);
  await requestReceipt(server, transfer);
  await server.drainJobs();
  assert.deepEqual(await receipts(server), [], 'the checks have not run yet');

  await check(server, transfer);
  await server.drainJobs();
  assert.deepEqual(await receipts(server), [], 'the job does not retry forever');
  server.clock.advance(5 * SECOND_MS);
  await server.drainJobs();
  const [mail, ...others] = await receipts(server);
  assert.deepEqual(others, []);
  assert.deepEqual([mail!.replyTo, mail!.transferId], [CAST.prem.email, transfer.id]);
  assert.equal(mail!.subject, 'Prem Premium has received your 2 files');
  const row = await server.context.db
    .selectFrom('transfers')
    .select('receiptSentAt')
    .where('id', '=', transfer.id)
    .executeTakeFirstOrThrow();
  assert.equal(row.receiptSentAt, server.clock.now());
});

test('a receipt shows paths, sizes, checksums, receiver and expiry, but no link to the files', async (t) => {
  const { server, transfer } = await setStage(t);
  await check(server, transfer);
  await server.drainJobs();
  await requestReceipt(server, transfer);
  const { text, html } = await readReceipt(server);
  for (const [path, bytes] of Object.entries(BYTES))
    assert.ok(text.includes(`- ${path} (${bytes.length} B)\n  SHA-256 ${sum(bytes)}\n`), text);
  assert.ok(text.includes(`Prem Premium (${CAST.prem.email}) has received 2 files (24 B) from you.`));
  assert.ok(text.includes('For: Studio pictures\nReceived: November 15, 2026 at 12:00 PM UTC\n'));
  assert.ok(text.includes('Kept until: November 18, 2026 at 12:00 PM UTC'));
  for (const each of [text, html])
    assert.ok(!each.includes(transfer.token) && !/https?:\/\/(?!www\.w3\.org)/.test(each), each);
  assert.ok(html.includes('Set/b &lt;i&gt;.txt') && html.includes(sum('the second')));
});

test('a receipt marks a damaged file, which has no checksum', async (t) => {
  const { server, transfer } = await setStage(t);
  await server.context.db
    .updateTable('files')
    .set({ crc32: 1 })
    .where('id', '=', transfer.files[1]!.id)
    .execute();
  await check(server, transfer);
  await server.drainJobs();
  // Damage is only confirmed by a second read.
  server.clock.advance(CONFIRM_DAMAGE_AFTER_MS);
  await server.drainJobs();
  await requestReceipt(server, transfer);
  const { text } = await readReceipt(server);
  assert.ok(text.includes('One file was damaged while it was being stored. Please send it again.'));
  assert.ok(text.includes('- Set/b <i>.txt (10 B)\n  Damaged. Please send it again.'));
  assert.ok(text.includes(sum('the first file')));
});

test('after an hour the receipt is sent without the missing checksums', async (t) => {
  const { server, transfer } = await setStage(t);
  await requestReceipt(server, transfer);
  server.clock.advance(HOUR_MS - 1);
  await server.drainJobs();
  assert.deepEqual(await receipts(server), []);
  // Get past the hourly search for forgotten files while there is nothing to find.
  await server.context.db.updateTable('files').set({ checkedAt: null, sha256: null }).execute();
  server.clock.advance(5 * SECOND_MS);
  const { text } = await readReceipt(server);
  assert.ok(text.includes('- Set/a.txt (14 B)\n  SHA-256 not computed yet\n'), text);
});

test('a receipt is mailed exactly once, however many jobs request it', async (t) => {
  const { server, transfer } = await setStage(t);
  await check(server, transfer);
  await server.drainJobs();
  for (let count = 0; count < 3; count += 1) {
    await requestReceipt(server, transfer);
    await requestReceipt(server, transfer);
    await server.drainJobs();
    server.clock.advance(5 * SECOND_MS);
  }
  assert.equal((await receipts(server)).length, 1);
});

test('exactly one of several concurrent workers sends the receipt', async (t) => {
  const { server, transfer } = await setStage(t);
  await check(server, transfer);
  await server.drainJobs();
  const run = { attempt: 1, signal: AbortSignal.timeout(60_000) };
  const send = () => sendReceiptJob.run(server.context, { transferId: transfer.id }, run);
  await Promise.all(Array.from({ length: 6 }, send));
  assert.equal((await receipts(server)).length, 1);
});

test('a receipt lists 200 files and counts the others', async (t) => {
  const names = Array.from({ length: 203 }, (_, index) => [`${String(index).padStart(3, '0')}.txt`, 'x']);
  const { server, transfer } = await setStage(t, Object.fromEntries(names));
  await check(server, transfer);
  await server.drainJobs();
  await requestReceipt(server, transfer);
  const { text, html } = await readReceipt(server);
  for (const each of [text, html])
    assert.ok(each.includes('199.txt') && !each.includes('200.txt') && each.includes('and 3 more'));
  assert.equal(text.match(/SHA-256 [0-9a-f]{64}/g)?.length, 200);
});

test('no receipt is sent for deleted transfers or for an owner’s own', async (t) => {
  const { server, transfer } = await setStage(t);
  const prem = await server.signIn('prem');
  await prem.call(deleteTransfer, { params: { id: transfer.id } });
  await requestReceipt(server, transfer);
  const own = await createReadyTransfer(server.context, {
    userId: server.userId('prem'),
    files: [{ path: 'own.txt', bytes: '' }],
  });
  await requestReceipt(server, own);
  server.clock.advance(2 * HOUR_MS);
  await server.drainJobs();
  const kinds = (await server.mails()).map(({ kind }) => kind);
  assert.ok(!kinds.includes('visitor-receipt'));
});

test('no receipt is sent if the account is deleted while checksums are pending', async (t) => {
  const { server, transfer } = await setStage(t);
  await requestReceipt(server, transfer);
  await server.drainJobs();
  await removeAccount(await server.signIn('prem'));
  server.clock.advance(2 * HOUR_MS);
  await server.drainJobs();
  assert.deepEqual(await receipts(server), []);
});

/** Runs the jobs that are due and returns the receipt. */
async function readReceipt(server: TestServer): Promise<{ text: string; html: string }> {
  await server.drainJobs();
  const [mail] = await receipts(server);
  return mail!;
}
