import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getDownloadBackgroundUrl } from '../../../../contracts/accounts/backgrounds.ts';
import { listAudit } from '../../../../contracts/admin/audit.ts';
import {
  listAllTransfers,
  listReports,
  setTakenDown,
  settleReport,
} from '../../../../contracts/admin/transfers.ts';
import {
  reportTransfer,
  verifyDownload,
  viewDownload,
} from '../../../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import {
  deleteTransfer,
  getTransfer,
  listTransfers,
  resendTransfer,
  updateTransfer,
} from '../../../../contracts/transfers/transfers.ts';
import {
  checksumsPath,
  fileDownloadPath,
  plainSharePath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { renewSessions } from '../../../../testing/calls/renewed-sessions.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { publishFiles, storeChunk } from '../../../../testing/uploads/arriving-transfers.ts';
import { completeFile } from '../../../../testing/uploads/upload-files.ts';

const CLOSED = { status: 410, code: 'transfer_taken_down' };
const SENTENCE = 'This transfer was taken down because it was reported. Its sender can tell you more.';
const UNKNOWN = '0'.repeat(26);

async function start(t: TestContext, wanted: Partial<Parameters<typeof createReadyTransfer>[1]> = {}) {
  const server = await startTestServer(t);
  const make = (title: string) =>
    createReadyTransfer(server.context, {
      userId: server.userId('paula'),
      title,
      files: [
        { path: 'a.txt', bytes: 'hello', mimeType: 'text/plain' },
        { path: 'b.txt', bytes: 'world', mimeType: 'text/plain' },
      ],
      ...wanted,
    });
  const transfer = await make('Offer');
  return { server, make, transfer, ada: await server.signIn('ada'), anyone: server.anonymous() };
}

function takeDown(ada: Client, { id }: ReadyTransfer, isTakenDown = true) {
  return ada.call(setTakenDown, { params: { id }, body: { isTakenDown } });
}

function report(server: TestServer, { token }: ReadyTransfer, reason: string) {
  return server.anonymous().call(reportTransfer, { params: { token }, body: { reason } });
}

function byteAddresses({ token, files }: ReadyTransfer): string[] {
  const [first] = files;
  return [
    fileDownloadPath(token, first!.id),
    zipDownloadPath(token),
    selectionDownloadPath(token, encodeSelection([0])),
    checksumsPath(token),
    `/api/download/${token}/preview/${first!.id}`,
    `/api/download/${token}/thumbnail/${first!.id}`,
  ];
}

test('a transfer that was taken down answers 410 on every URL and reveals nothing', async (t) => {
  const { server, transfer, ada, anyone } = await start(t);
  await server.drainJobs();
  const closed = await takeDown(ada, transfer);
  assert.equal(closed.isTakenDown, true);
  const params = { token: transfer.token };
  for (const client of [anyone, ada, await server.signIn('paula')]) {
    await assert.rejects(client.call(viewDownload, { params }), CLOSED);
    for (const address of byteAddresses(transfer)) {
      const answer = await client.fetch(address);
      assert.deepEqual([answer.status, await answer.text()], [410, SENTENCE], address);
    }
  }
  const plain = await anyone.fetch(plainSharePath(transfer.token));
  const page = await plain.text();
  assert.equal(plain.status, 410);
  assert.ok(page.includes(SENTENCE) && !page.includes('Offer') && !page.includes('a.txt'));
  assert.deepEqual(await anyone.call(getDownloadBackgroundUrl, { params }), { url: null });
  await assert.rejects(anyone.call(reportTransfer, { params, body: { reason: 'other' } }), CLOSED);
  const views = await server.context.db.selectFrom('transferViews').select('id').execute();
  assert.deepEqual(views, []);
});

test('a transfer whose files are still arriving is listed for administrators and can be taken down', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const film = [{ name: 'a.txt', bytes: Buffer.from('hello') }];
  const recipientEmails = ['vera@example.org'];
  const { id, token, files } = await publishFiles(frida, film, { recipientEmails });
  const params = { token };
  const rex = server.anonymous();
  await rex.call(reportTransfer, { params, body: { reason: 'malware' } });
  const ada = await server.signIn('ada');
  const list = async () => {
    const items = await ada.call(listAllTransfers, { query: {} });
    return items.map((each) => [each.id, each.isArriving, each.fileCount, each.totalSize, each.isTakenDown]);
  };
  assert.deepEqual(await list(), [[id, true, 1, 5, false]]);
  const [report] = await ada.call(listReports, { query: {} });
  await ada.call(settleReport, { params: { id: report!.id }, body: { verdict: 'take-down' } });
  await assert.rejects(rex.call(viewDownload, { params }), CLOSED);
  assert.deepEqual(await list(), [[id, true, 1, 5, true]]);

  await storeChunk(frida, files[0]!, 0);
  await completeFile(frida, files[0]!.uploadId, { transferId: id });
  assert.deepEqual(await list(), [[id, false, 1, 5, true]]);
  assert.deepEqual(await server.mails(), [], 'nobody is sent a link that is closed');
  await ada.call(setTakenDown, { params: { id }, body: { isTakenDown: false } });
  assert.equal((await rex.call(viewDownload, { params })).isExpired, false);
});

test('no password opens a transfer that was taken down, not even one entered before', async (t) => {
  const { transfer, ada, anyone } = await start(t, { password: 'sesame' });
  const unlock = { params: { token: transfer.token }, body: { password: 'sesame' } };
  await anyone.call(verifyDownload, unlock);
  await takeDown(ada, transfer);
  await assert.rejects(anyone.call(verifyDownload, unlock), CLOSED);
  await assert.rejects(anyone.call(viewDownload, { params: unlock.params }), CLOSED);
});

test('a counted download cannot be resumed after the take-down', async (t) => {
  const { transfer, ada, anyone } = await start(t);
  const path = fileDownloadPath(transfer.token, transfer.files[0]!.id);
  const first = await anyone.fetch(path);
  const range = { headers: { range: 'bytes=2-', 'if-range': first.headers.get('etag')! } };
  assert.equal(await first.text(), 'hello');
  assert.equal(await (await anyone.fetch(path, range)).text(), 'llo');
  await takeDown(ada, transfer);
  assert.equal((await anyone.fetch(path, range)).status, 410);
  await takeDown(ada, transfer, false);
  assert.equal(await (await anyone.fetch(path, range)).text(), 'llo');
});

test('the owner of a transfer that was taken down sees that, keeps its pages, and cannot mail it', async (t) => {
  const { server, transfer, ada } = await start(t);
  const paula = await server.signIn('paula');
  const params = { id: transfer.id };
  assert.equal((await paula.call(getTransfer, { params })).isTakenDown, false);
  const body = { recipientEmails: ['rex@example.org'] };
  await paula.call(updateTransfer, { params, body });
  assert.equal((await server.mails())[0]!.state, 'queued');
  await takeDown(ada, transfer);
  assert.equal((await server.mails())[0]!.state, 'dropped');
  assert.equal((await paula.call(getTransfer, { params })).isTakenDown, true);
  assert.equal((await paula.call(listTransfers))[0]!.isTakenDown, true);
  const preview = await paula.fetch(`/api/transfers/${transfer.id}/preview/${transfer.files[0]!.id}`);
  assert.notEqual(preview.status, 410);
  await assert.rejects(paula.call(resendTransfer, { params, body }), CLOSED);
  await paula.call(updateTransfer, {
    params,
    body: { recipientEmails: ['rex@example.org', 'eve@example.org'] },
  });
  assert.equal((await server.mails()).length, 1);
  await paula.call(updateTransfer, { params, body: { expirationDays: 20 } });
  await assert.rejects(server.anonymous().call(viewDownload, { params: { token: transfer.token } }), CLOSED);
  await paula.call(deleteTransfer, { params });
});

test('a reopened transfer works as before, and doing either twice changes nothing', async (t) => {
  const { server, transfer, ada, anyone } = await start(t);
  const params = { token: transfer.token };
  for (const isTakenDown of [true, true, false, false]) {
    server.clock.advance(MINUTE_MS);
    assert.equal((await takeDown(ada, transfer, isTakenDown)).isTakenDown, isTakenDown);
  }
  assert.equal((await anyone.call(viewDownload, { params })).title, 'Offer');
  const actions = (await ada.call(listAudit)).map(({ action, subject }) => `${action} ${subject}`);
  const expected = ['transfer.reopen', 'transfer.reopen', 'transfer.take-down', 'transfer.take-down'];
  assert.deepEqual(
    actions,
    expected.map((action) => `${action} Offer`),
  );
  const unknown = { params: { id: UNKNOWN }, body: { isTakenDown: true } };
  await assert.rejects(ada.call(setTakenDown, unknown), { code: 'transfer_not_found' });
});

test('of downloads concurrent with a take-down each is either served or refused', async (t) => {
  const { server, transfer, ada } = await start(t);
  const path = fileDownloadPath(transfer.token, transfer.files[0]!.id);
  const fetches = Array.from({ length: 12 }, () => server.anonymous().fetch(path));
  const [, ...answers] = await Promise.all([takeDown(ada, transfer), ...fetches]);
  const statuses = answers.map(({ status }) => status);
  for (const answer of answers) assert.ok(answer.status === 410 || (await answer.text()) === 'hello');
  const { downloadCount } = await server.context.db
    .selectFrom('transfers')
    .select('downloadCount')
    .executeTakeFirstOrThrow();
  assert.equal(downloadCount, statuses.filter((status) => status === 200).length);
});

test('reports are listed in pages, open ones first and each kind newest first', async (t) => {
  const { server, make, ada } = await start(t);
  const reasons = ['malware', 'phishing', 'copyright', 'illegal', 'other'];
  for (const reason of reasons) {
    await report(server, await make(`by ${reason}`), reason);
    server.clock.advance(MINUTE_MS);
  }
  const [open] = await ada.call(listReports, { query: { state: 'open' } });
  assert.deepEqual(
    [open!.title, open!.owner, open!.reason, open!.settledAt, open!.isTakenDown],
    ['by other', 'paula', 'other', null, false],
  );
  const byReason = new Map((await ada.call(listReports)).map(({ reason, id }) => [reason, id]));
  for (const reason of ['malware', 'copyright']) {
    await ada.call(settleReport, { params: { id: byReason.get(reason)! }, body: { verdict: 'dismiss' } });
    server.clock.advance(MINUTE_MS);
  }
  const expected = ['other', 'illegal', 'phishing', 'copyright', 'malware'];
  for (const limit of ['1', '2', '3', '4', '5', '50']) {
    assert.deepEqual(await reasonsByPage(ada, { limit }), expected, limit);
    assert.deepEqual(await reasonsByPage(ada, { limit, state: 'open' }), expected.slice(0, 3));
    assert.deepEqual(await reasonsByPage(ada, { limit, state: 'settled' }), expected.slice(3));
  }
  const query = { cursor: 'bm9uc2Vuc2U' };
  await assert.rejects(ada.call(listReports, { query }), { code: 'invalid_input' });
});

test('dismissing settles one report; taking down settles all reports about the transfer and no others', async (t) => {
  const { server, make, transfer, ada, anyone } = await start(t);
  const other = await make('Other');
  await report(server, transfer, 'malware');
  server.clock.advance(25 * HOUR_MS);
  await renewSessions(server);
  await report(server, transfer, 'phishing');
  server.clock.advance(25 * HOUR_MS);
  await renewSessions(server);
  await report(server, transfer, 'illegal');
  await report(server, other, 'malware');
  const all = await ada.call(listReports);
  const idOf = (reason: string) => all.find((each) => each.reason === reason && each.title === 'Offer')!.id;
  const settle = (reason: string, verdict: string) =>
    ada.call(settleReport, { params: { id: idOf(reason) }, body: { verdict } });
  const dismissed = await settle('malware', 'dismiss');
  assert.deepEqual([dismissed.settledAt !== null, dismissed.isTakenDown], [true, false]);
  assert.equal((await anyone.call(viewDownload, { params: { token: transfer.token } })).title, 'Offer');
  server.clock.advance(MINUTE_MS);
  await renewSessions(server);
  const [taken] = await Promise.all([settle('illegal', 'take-down'), settle('illegal', 'take-down')]);
  assert.deepEqual([taken!.settledAt !== null, taken!.isTakenDown], [true, true]);
  await assert.rejects(anyone.call(viewDownload, { params: { token: transfer.token } }), CLOSED);
  const open = await ada.call(listReports, { query: { state: 'open' } });
  assert.deepEqual(
    open.map(({ title }) => title),
    ['Other'],
  );
  server.clock.advance(MINUTE_MS);
  await renewSessions(server);
  // Settling again changes neither the report nor the transfer.
  assert.equal((await settle('malware', 'dismiss')).settledAt, dismissed.settledAt);
  const actions = (await ada.call(listAudit)).map(({ action }) => action);
  assert.deepEqual(actions, ['transfer.take-down', 'transfer.take-down', 'report.dismiss']);
  for (const verdict of ['dismiss', 'take-down']) {
    const unknown = { params: { id: UNKNOWN }, body: { verdict } };
    await assert.rejects(ada.call(settleReport, unknown), { code: 'report_not_found' });
  }
});

test('reports and the audit log name an untitled transfer by its files', async (t) => {
  const { server, make, ada } = await start(t);
  const untitled = await make('');
  const { createdAt } = await server.context.db
    .selectFrom('transfers')
    .select('createdAt')
    .where('id', '=', untitled.id)
    .executeTakeFirstOrThrow();
  await report(server, untitled, 'malware');
  const [reported] = await ada.call(listReports);
  assert.equal(reported!.transferCreatedAt, new Date(createdAt).toISOString());
  await ada.call(settleReport, { params: { id: reported!.id }, body: { verdict: 'dismiss' } });
  await takeDown(ada, untitled);
  const name = nameTransfer(reported!);
  assert.equal(name, 'a.txt + 1');
  const subjects = (await ada.call(listAudit)).map(({ subject }) => subject);
  assert.deepEqual(subjects, [name, name]);
});

async function reasonsByPage(ada: Client, query: Record<string, string>): Promise<string[]> {
  const reasons: string[] = [];
  let path: string | undefined = `/api/admin/reports?${new URLSearchParams(query)}`;
  while (path) {
    const response: Response = await ada.fetch(path);
    for (const { reason } of (await response.json()) as { reason: string }[]) reasons.push(reason);
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return reasons;
}
