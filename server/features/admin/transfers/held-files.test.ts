import assert from 'node:assert/strict';
import test, { after, before, type TestContext } from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import { listAudit } from '../../../../contracts/admin/audit.ts';
import {
  blockContent,
  listBlockedContents,
  listHeldFiles,
  releaseHeldFile,
  reviewFiles,
  unblockContent,
} from '../../../../contracts/admin/scanning.ts';
import { runSystemChecks } from '../../../../contracts/admin/system.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { getTransfer } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import {
  EICAR,
  EICAR_SIGNATURE,
  isClamdInstalled,
  OTHER_MALWARE,
  OTHER_SIGNATURE,
  startClamd,
  type TestClamd,
} from '../../../../testing/network/clamd.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { sendTransfer, sha256 } from '../../../../testing/uploads/send-transfer.ts';

const TEXT = { fileName: 'notes.txt', bytes: Buffer.from('nothing to see here') };
const LEAK = { fileName: 'leak.pdf', bytes: Buffer.from('somebody else’s book') };
const INFECTED = { fileName: 'invoice.com', bytes: EICAR };
const OTHER = { fileName: 'other.com', bytes: OTHER_MALWARE };
const TO = { recipientEmails: ['rita@example.org'] };

test('a file content that was taken down is refused in all transfers and new uploads until that is undone', async (t) => {
  const server = await startTestServer(t);
  const [ada, paula, prem] = [
    await server.signIn('ada'),
    await server.signIn('paula'),
    await server.signIn('prem'),
  ];
  const sent = [
    await sendTransfer(paula, [LEAK, TEXT]),
    await sendTransfer(prem, [TEXT, { ...LEAK, fileName: 'x' }]),
  ];
  const other = await sendTransfer(prem, [TEXT]);
  const fileId = sent[0]!.fileIds[0]!;
  const body = { fileId, reason: 'Copyright, report of 3 May' };
  assert.equal(await codeOf(ada.call(blockContent, { body })), 'checksums_pending');
  await server.drainJobs();

  const [reviewed] = await ada.call(reviewFiles, { query: { transferId: sent[0]!.id } });
  assert.deepEqual([reviewed!.sha256, reviewed!.held], [sha256(LEAK.bytes), null]);
  const blocked = await ada.call(blockContent, { body });
  assert.deepEqual(
    [blocked.sha256, blocked.fileName, blocked.reason, blocked.blockedBy],
    [sha256(LEAK.bytes), 'leak.pdf', body.reason, 'ada'],
  );
  assert.equal(await stateOf(server, sent[0]!.token), 'transfer_blocked', 'at once');
  await server.drainJobs();
  assert.equal(await stateOf(server, sent[1]!.token), 'transfer_blocked');
  assert.equal(await stateOf(server, other.token), 'open');
  const got = await server.anonymous().fetch(fileDownloadPath(sent[1]!.token, sent[1]!.fileIds[1]!));
  assert.equal(got.status, 410);

  const again = await sendTransfer(paula, [{ ...LEAK, fileName: 'another name.pdf' }, TEXT], TO);
  assert.equal(await stateOf(server, again.token), 'checking', 'before its checksum is known');
  await server.drainJobs();
  assert.equal(await stateOf(server, again.token), 'transfer_blocked');
  assert.equal((await paula.call(getTransfer, { params: { id: again.id } })).scanState, 'blocked');
  assert.deepEqual(await mailsOf(server, 'transfer-ready'), []);
  server.clock.advance(6 * MINUTE_MS);
  await server.drainJobs();
  const notices = (await server.mails()).filter(({ kind }) => kind === 'blocked-notice');
  assert.deepEqual(notices.map(({ recipient }) => recipient).sort(), [
    'paula@example.org',
    'paula@example.org',
    'prem@example.org',
  ]);
  assert.match(notices[0]!.text, /administrator has blocked/);

  assert.deepEqual(await ada.call(listBlockedContents), [blocked]);
  const held = await ada.call(listHeldFiles, { query: { state: 'blocked' } });
  assert.deepEqual(
    held.map(({ sha256: sum }) => sum),
    Array(3).fill(blocked.sha256),
  );
  const release = { params: { id: fileId }, body: { reason: 'x' } };
  assert.equal(await codeOf(ada.call(releaseHeldFile, release)), 'held_file_not_found');

  await ada.call(unblockContent, { params: { id: blocked.id } });
  assert.equal(
    await codeOf(ada.call(unblockContent, { params: { id: blocked.id } })),
    'content_rule_not_found',
  );
  await server.drainJobs();
  for (const { token } of [...sent, again]) assert.equal(await stateOf(server, token), 'open');
  assert.deepEqual(await mailsOf(server, 'transfer-ready'), ['rita@example.org'], 'held until now');
  const acts = (await ada.call(listAudit, { query: { action: 'content' } })).map(({ action }) => action);
  assert.deepEqual(acts.sort(), ['content.block', 'content.unblock']);
});

test('files being hashed while their content is taken down are blocked a minute later', async (t) => {
  const server = await startTestServer(t);
  const [ada, paula] = [await server.signIn('ada'), await server.signIn('paula')];
  const known = await sendTransfer(paula, [LEAK]);
  await server.drainJobs();
  const late = await sendTransfer(paula, [LEAK]);
  await ada.call(blockContent, { body: { fileId: known.fileIds[0]!, reason: 'Copyright' } });
  await server.drainJobs();
  server.clock.advance(MINUTE_MS);
  await server.drainJobs();
  assert.equal(await stateOf(server, late.token), 'transfer_blocked');
});

test('decisions require a reason, and the lists are paged', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const paula = await server.signIn('paula');
  const contents = Array.from({ length: 3 }, (_, index) => Buffer.from(`content ${index}`));
  for (const bytes of contents) {
    const { fileIds } = await sendTransfer(paula, [{ fileName: 'a.bin', bytes }]);
    await server.drainJobs();
    const bad = { fileId: fileIds[0]!, reason: '  ' };
    assert.equal(await codeOf(ada.call(blockContent, { body: bad })), 'invalid_input');
    await ada.call(blockContent, { body: { ...bad, reason: 'Reported' } });
    server.clock.advance(1_000);
  }
  for (const path of ['/api/admin/blocked-contents', '/api/admin/held-files']) {
    const sums: string[] = [];
    let next: string | undefined = `${path}?limit=2${path.endsWith('files') ? '&state=blocked' : ''}`;
    while (next) {
      const response: Response = await ada.fetch(next);
      for (const row of (await response.json()) as { sha256: string }[]) sums.push(row.sha256);
      [, next] = /<([^>]+)>/.exec(response.headers.get('link') ?? '') ?? [];
    }
    assert.deepEqual(sums, contents.map(sha256).reverse(), path);
  }
});

test('the content of an empty file cannot be taken down', async (t) => {
  const server = await startTestServer(t);
  const sent = await sendTransfer(await server.signIn('paula'), [{ fileName: 'a', bytes: Buffer.alloc(0) }]);
  await server.drainJobs();
  const body = { fileId: sent.fileIds[0]!, reason: 'x' };
  assert.equal(await codeOf((await server.signIn('ada')).call(blockContent, { body })), 'file_not_found');
});

if (isClamdInstalled()) testWithScanner();
else test('release of infected files', { skip: 'ClamAV is missing: run bin/install-test-servers.ts' });

function testWithScanner(): void {
  let clamd: TestClamd;
  before(async () => {
    clamd = await startClamd();
  });
  after(() => clamd.close());
  const start = (t: TestContext, env: Record<string, string> = {}) =>
    startTestServer(t, { SCAN: clamd.url, ...env });

  test('the owner is notified of an infected file, and administrators see and release it with a reason', async (t) => {
    const server = await start(t);
    const [ada, paula, prem] = [
      await server.signIn('ada'),
      await server.signIn('paula'),
      await server.signIn('prem'),
    ];
    const first = await sendTransfer(paula, [TEXT, INFECTED], TO);
    const same = await sendTransfer(prem, [INFECTED], { recipientEmails: ['ron@example.org'] });
    const other = await sendTransfer(prem, [INFECTED, OTHER], TO);
    await server.drainJobs();
    server.clock.advance(6 * MINUTE_MS);
    await server.drainJobs();
    const notice = (await server.mails()).find(
      ({ kind, recipient }) => kind === 'blocked-notice' && recipient === 'paula@example.org',
    )!;
    for (const words of ['invoice.com', EICAR_SIGNATURE, 'Nobody can download'])
      assert.ok(notice.text.includes(words), words);

    const held = await ada.call(listHeldFiles);
    assert.deepEqual(held.map(({ finding, owner }) => `${owner} ${finding}`).sort(), [
      `paula ${EICAR_SIGNATURE}`,
      `prem ${EICAR_SIGNATURE}`,
      `prem ${EICAR_SIGNATURE}`,
      `prem ${OTHER_SIGNATURE}`,
    ]);
    const { id } = held.find(({ owner }) => owner === 'paula')!;
    const release = (reason: string) => ada.call(releaseHeldFile, { params: { id }, body: { reason } });
    assert.equal(await codeOf(release('')), 'invalid_input');
    await release('A test file');
    assert.equal(await codeOf(release('A test file')), 'held_file_not_found');
    assert.equal(await stateOf(server, first.token), 'open', 'at once');
    await server.drainJobs();
    assert.equal(await stateOf(server, same.token), 'open');
    assert.equal(await stateOf(server, other.token), 'transfer_blocked', 'it has another infected file');
    assert.deepEqual(await mailsOf(server, 'transfer-ready'), ['rita@example.org', 'ron@example.org']);

    const again = await sendTransfer(paula, [INFECTED]);
    await server.drainJobs();
    assert.equal(await stateOf(server, again.token), 'open', 'an identical file is not held again');
    const [act] = await ada.call(listAudit, { query: { action: 'file.release' } });
    assert.deepEqual(
      [act!.subject, act!.details.reason, act!.details.finding],
      ['invoice.com', 'A test file', EICAR_SIGNATURE],
    );
  });

  test('the system check includes the scanner', async (t) => {
    const check = async (client: Client) =>
      (await client.call(runSystemChecks)).find(({ name }) => name === 'scanner');
    const server = await start(t, { SCAN_MAX_SIZE: '3' });
    const ada = await server.signIn('ada');
    assert.match((await check(ada))!.found, /ClamAV/);
    const demanding = await start(t, { SCAN_MAX_SIZE: '100' });
    assert.match((await check(await demanding.signIn('ada')))!.fix!, /StreamMaxLength/);
    await clamd.kill();
    const away = (await check(ada))!;
    await clamd.start();
    assert.equal(away.state, 'failed');
    const without = await startTestServer(t);
    assert.equal(await check(await without.signIn('ada')), undefined);
  });
}

async function stateOf(server: TestServer, token: string): Promise<string> {
  const guest = server.anonymous();
  const code = await codeOf(
    guest.call(viewDownload, { params: { token } }).then(({ isChecking }) => {
      if (isChecking) throw Object.assign(new Error(), { code: 'checking' });
    }),
  );
  return code === 'ok' ? 'open' : code;
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'ok',
    (error: ApiError) => error.code ?? String(error),
  );
}

async function mailsOf(server: TestServer, wanted: string): Promise<string[]> {
  const mails = await server.mails();
  return mails
    .filter(({ kind }) => kind === wanted)
    .map(({ recipient }) => recipient)
    .sort();
}
