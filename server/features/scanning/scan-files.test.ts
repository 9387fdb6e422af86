import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { ApiError } from '../../../client/api-error.ts';
import { viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection } from '../../../contracts/transfers/downloads/selection.ts';
import { getTransfer, resendTransfer, updateTransfer } from '../../../contracts/transfers/transfers.ts';
import { beginUpdate, publishUpdate } from '../../../contracts/transfers/versions.ts';
import {
  fileDownloadPath,
  plainSharePath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Client } from '../../../testing/calls/client.ts';
import {
  EICAR,
  EICAR_SIGNATURE,
  isClamdInstalled,
  startClamd,
  type TestClamd,
} from '../../../testing/network/clamd.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { sendSealedTransfer, unlockSealed } from '../../../testing/uploads/sealed-transfers.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { announceFile, completeFile, makeBytes, sendChunks } from '../../../testing/uploads/upload-files.ts';
import { openFile, openZip } from '../downloads/delivery/resources.ts';
import { ZipCache } from '../downloads/delivery/zip-cache.ts';
import { findShare } from '../downloads/queries.ts';
import { scanFilesJob } from './scan-files.ts';

const run = promisify(execFile);

const TEXT = { fileName: 'notes.txt', bytes: Buffer.from('nothing to see here') };
const LARGE = { fileName: 'large.bin', bytes: makeBytes(3 * MIB, 'large') };
const HUGE = { fileName: 'huge.bin', bytes: makeBytes(6 * MIB, 'huge') };
const INFECTED = { fileName: 'invoice.com', bytes: EICAR };
const TO = { recipientEmails: ['rita@example.org'] };

if (isClamdInstalled()) testScanning();
else test('scanning', { skip: 'ClamAV is missing: run bin/install-test-servers.ts' });

function testScanning(): void {
  let clamd: TestClamd;
  before(async () => {
    clamd = await startClamd({ streamMaxLength: '4M' });
  });
  after(() => clamd.close());

  const start = (t: TestContext, env: Record<string, string> = {}) =>
    startTestServer(t, { SCAN: clamd.url, ...env });

  test('a transfer is held until it is scanned; then recipients get their mails and the files', async (t) => {
    const server = await start(t);
    const paula = await server.signIn('paula');
    const sent = await sendTransfer(paula, [TEXT, LARGE], TO);
    const guest = server.anonymous();

    assert.deepEqual(await view(guest, sent.token), { isChecking: true });
    assert.equal((await paula.call(getTransfer, { params: { id: sent.id } })).scanState, 'checking');
    for (const path of [fileDownloadPath(sent.token, sent.fileIds[0]!), zipDownloadPath(sent.token)]) {
      const refused = await guest.fetch(path);
      assert.equal(refused.status, 423, path);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
    }
    const plain = await guest.fetch(plainSharePath(sent.token));
    assert.match(await plain.text(), /being checked/);
    assert.ok(plain.headers.get('refresh'));
    const resend = { params: { id: sent.id }, body: { recipientEmails: ['ron@example.org'] } };
    assert.equal(await codeOf(paula.call(resendTransfer, resend)), 'transfer_checking');
    const recipientEmails = ['rita@example.org', 'ron@example.org'];
    await paula.call(updateTransfer, { params: { id: sent.id }, body: { recipientEmails } });
    assert.deepEqual(await mailedTo(server), []);

    await server.drainJobs();
    assert.deepEqual((await mailedTo(server)).sort(), recipientEmails);
    assert.equal((await view(guest, sent.token)).files!.length, 2);
    const { downloadCount, scanState } = await paula.call(getTransfer, { params: { id: sent.id } });
    assert.deepEqual([downloadCount, scanState], [0, null]);
    const got = await guest.fetch(fileDownloadPath(sent.token, sent.fileIds[1]!));
    assert.ok(Buffer.from(await got.arrayBuffer()).equals(LARGE.bytes));
    await server.drainJobs();
    assert.equal((await mailedTo(server)).length, 2, 'nobody is mailed twice');
    assert.deepEqual(await heldFiles(server), []);
  });

  test('encrypted files cannot be scanned: the policy for such files decides', async (t) => {
    const [lenient, strict] = [await start(t), await start(t, { SCAN_UNSCANNED: 'hold' })];
    for (const server of [lenient, strict]) {
      const prem = await server.signIn('prem');
      const sent = await sendSealedTransfer(prem, { settings: TO });
      await server.drainJobs();
      const isHeld = server === strict;
      const own = await prem.call(getTransfer, { params: { id: sent.id } });
      assert.equal(own.scanState, isHeld ? 'unscanned' : null);
      assert.deepEqual(
        new Set(own.heldFiles.map(({ finding }) => finding)),
        new Set(isHeld ? ['encrypted'] : []),
      );
      assert.equal((await mailedTo(server)).length, isHeld ? 0 : 1);
      const guest = server.anonymous();
      if (isHeld) assert.deepEqual(await view(guest, sent.token), { isChecking: true });
      else await unlockSealed(guest, sent);
    }
  });

  test('the scan computes the checksums, so that nothing is read twice', async (t) => {
    const server = await start(t);
    await sendTransfer(await server.signIn('paula'), [TEXT, LARGE]);
    const lengths: number[] = [];
    const { blobs } = server.context;
    const openRange = blobs.openRange.bind(blobs);
    t.mock.method(blobs, 'openRange', (...range: Parameters<typeof openRange>) => {
      lengths.push(range[2] - range[1]);
      return openRange(...range);
    });
    await server.drainJobs();
    server.clock.advance(MINUTE_MS);
    await server.drainJobs();
    const files = await server.context.db.selectFrom('files').select(['sha256', 'checkedAt']).execute();
    assert.ok(files.every(({ sha256, checkedAt }) => sha256 !== null && checkedAt !== null));
    // Detecting a file's type reads its first bytes separately.
    assert.equal(lengths.filter((length) => length === LARGE.bytes.length).length, 1);
  });

  test('infected files are found: plain, small in a pack, large, and inside a zip', async (t) => {
    const server = await start(t);
    const paula = await server.signIn('paula');
    const zip = await zipOf(t, INFECTED);
    const behind = Buffer.concat([makeBytes(2 * MIB, 'before'), EICAR, makeBytes(MIB, 'behind')]);
    const cases = [
      [INFECTED],
      [TEXT, { ...TEXT, fileName: 'second.txt' }, INFECTED, { ...TEXT, fileName: 'last.txt' }],
      [{ fileName: 'large.iso', bytes: behind }],
      [zip, TEXT],
    ];
    for (const files of cases) {
      const sent = await sendTransfer(paula, files, TO);
      await server.drainJobs();
      assert.equal(
        await codeOf(view(server.anonymous(), sent.token)),
        'transfer_blocked',
        files[0]!.fileName,
      );
      for (const [position, { fileName }] of files.entries()) {
        const response = await server
          .anonymous()
          .fetch(fileDownloadPath(sent.token, sent.fileIds[position]!));
        assert.equal(response.status, 410, fileName);
      }
    }
    const held = await heldFiles(server);
    assert.deepEqual(
      held.map(({ state, finding }) => [state, finding]),
      cases.map(() => ['infected', EICAR_SIGNATURE]),
    );
    assert.deepEqual(await mailedTo(server), []);
    assert.match(await (await server.anonymous().fetch(plainSharePath('x'.repeat(26)))).text(), /not found/);
  });

  test('files that cannot be scanned are released or wait for an administrator, depending on the policy', async (t) => {
    const secret = await zipOf(t, INFECTED, 'secret');
    const beyondSetting = { fileName: 'film.mov', bytes: makeBytes(2 * MIB, 'film') };
    for (const policy of ['allow', 'hold'] as const) {
      const server = await start(t, { SCAN_UNSCANNED: policy, SCAN_MAX_SIZE: '5' });
      const paula = await server.signIn('paula');
      const found: unknown[] = [];
      for (const file of [secret, HUGE, { ...HUGE, bytes: makeBytes(4 * MIB + 1, 'x') }]) {
        const sent = await sendTransfer(paula, [file], TO);
        await server.drainJobs();
        const { scanState } = await paula.call(getTransfer, { params: { id: sent.id } });
        assert.equal(scanState, policy === 'hold' ? 'unscanned' : null, file.fileName);
        const { isChecking } = await view(server.anonymous(), sent.token);
        assert.equal(isChecking, policy === 'hold' ? true : undefined);
        found.push((await heldFiles(server)).at(-1)?.finding);
        const [{ sha256 } = { sha256: null }] = await server.context.db
          .selectFrom('files')
          .select('sha256')
          .where('transferId', '=', sent.id)
          .execute();
        assert.equal(
          sha256 === null,
          file === HUGE,
          'nobody waits until a file beyond SCAN_MAX_SIZE is read',
        );
      }
      if (policy === 'hold') assert.deepEqual(found, ['encrypted', 'too-large', 'too-large']);
      assert.equal((await mailedTo(server)).length, policy === 'hold' ? 0 : 3);
      const small = await sendTransfer(paula, [beyondSetting], TO);
      await server.drainJobs();
      assert.equal((await view(server.anonymous(), small.token)).files!.length, 1);
    }
  });

  test('while the scanner is unreachable, files wait ten minutes; then the policy decides', async (t) => {
    const [lenient, strict] = [await start(t), await start(t, { SCAN_UNSCANNED: 'hold' })];
    const send = async (server: TestServer) => sendTransfer(await server.signIn('paula'), [TEXT], TO);
    const sent = [await send(lenient), await send(strict)] as const;
    await clamd.kill();
    const states = async () => [
      (await view(lenient.anonymous(), sent[0].token)).isChecking,
      (await view(strict.anonymous(), sent[1].token)).isChecking,
    ];
    const pass = async (milliseconds: number) => {
      for (const server of [lenient, strict]) {
        server.clock.advance(milliseconds);
        await server.drainJobs();
      }
    };
    await pass(0);
    await pass(9 * MINUTE_MS);
    assert.deepEqual(await states(), [true, true]);
    await pass(10 * MINUTE_MS);
    assert.deepEqual(await states(), [undefined, true]);
    assert.deepEqual(
      (await heldFiles(strict)).map(({ state, finding }) => [state, finding]),
      [['unscanned', 'scanner-away']],
    );
    await clamd.start();
    await pass(11 * MINUTE_MS);
    await pass(0);
    assert.deepEqual(await states(), [undefined, undefined], 'files are scanned once the scanner is back');
  });

  test('files added later are scanned before they can be downloaded, and recipients are not mailed again', async (t) => {
    const server = await start(t);
    const paula = await server.signIn('paula');
    const sent = await sendTransfer(paula, [TEXT], TO);
    await server.drainJobs();
    const add = async (fileName: string, bytes: Buffer) => {
      const { uploadId } = await announceFile(paula, fileName, bytes, sent.id);
      await sendChunks(paula, uploadId, bytes);
      await completeFile(paula, uploadId);
      return uploadId;
    };
    const guest = server.anonymous();
    const added = await add('added.txt', Buffer.from('added'));
    const both = await view(guest, sent.token);
    assert.deepEqual(
      both.files!.map(({ isChecking }) => isChecking),
      [false, true],
    );
    const paths = [
      fileDownloadPath(sent.token, added),
      zipDownloadPath(sent.token),
      selectionDownloadPath(sent.token, encodeSelection(both.files!.map(({ position }) => position))),
      `/api/download/${sent.token}/preview/${added}`,
    ];
    const statuses = async () => Promise.all(paths.map(async (path) => (await guest.fetch(path)).status));
    assert.deepEqual(await statuses(), [423, 423, 423, 423]);
    assert.equal(
      (await guest.fetch(fileDownloadPath(sent.token, sent.fileIds[0]!))).status,
      200,
      'still open',
    );
    assert.match(
      await (await guest.fetch(plainSharePath(sent.token))).text(),
      /added\.txt<\/bdi>: being checked/,
    );
    assert.equal((await paula.call(getTransfer, { params: { id: sent.id } })).scanState, 'partial');
    await server.drainJobs();
    assert.deepEqual((await statuses()).slice(0, 3), [200, 200, 200]);
    assert.equal((await paula.call(getTransfer, { params: { id: sent.id } })).scanState, null);
    const bad = await add('bad.com', EICAR);
    await server.drainJobs();
    for (const id of [bad, sent.fileIds[0]!])
      assert.equal((await server.anonymous().fetch(fileDownloadPath(sent.token, id))).status, 410);
    assert.deepEqual(await mailedTo(server), ['rita@example.org']);
  });

  test('files of an update are scanned before they can be downloaded', async (t) => {
    const server = await start(t);
    const paula = await server.signIn('paula');
    const sent = await sendTransfer(paula, [TEXT]);
    await server.drainJobs();
    const params = { id: sent.id };
    const { draftId, version } = await paula.call(beginUpdate, { params });
    const { uploadId } = await announceFile(paula, LARGE.fileName, LARGE.bytes, draftId);
    await sendChunks(paula, uploadId, LARGE.bytes);
    await completeFile(paula, uploadId, { transferId: draftId });
    await paula.call(publishUpdate, { params, body: { version } });
    const guest = server.anonymous();
    const ask = async (path: string) => (await guest.fetch(path, { method: 'HEAD' })).status;
    const paths = [
      fileDownloadPath(sent.token, sent.fileIds[0]!),
      fileDownloadPath(sent.token, uploadId),
      zipDownloadPath(sent.token),
      `/api/download/${sent.token}/versions/2/all`,
      `/api/download/${sent.token}/versions/1/all`,
    ];
    assert.equal((await paula.call(getTransfer, { params })).scanState, 'partial');
    assert.deepEqual(await Promise.all(paths.map(ask)), [200, 423, 423, 423, 200]);
    await server.drainJobs();
    assert.equal((await paula.call(getTransfer, { params })).scanState, null);
    assert.deepEqual(await Promise.all(paths.map(ask)), [200, 200, 200, 200, 200]);
  });

  test('files of a draft are scanned as they arrive, and a further file can still hold the transfer', async (t) => {
    const server = await start(t);
    const paula = await server.signIn('paula');
    const { uploadId: first, transferId } = await announceFile(paula, 'a.txt', TEXT.bytes);
    await sendChunks(paula, first, TEXT.bytes);
    const { token } = await completeFile(paula, first, { fileCount: 2, ...TO });
    await server.drainJobs();
    assert.deepEqual(await heldFiles(server), []);
    const { uploadId: second } = await announceFile(paula, 'b.txt', TEXT.bytes, transferId);
    await sendChunks(paula, second, TEXT.bytes);
    await completeFile(paula, second, { fileCount: 2 });
    assert.deepEqual(await view(server.anonymous(), token), { isChecking: true });
    assert.deepEqual(await mailedTo(server), []);
    await server.drainJobs();
    assert.deepEqual(await mailedTo(server), ['rita@example.org']);
    const sums = await server.context.db.selectFrom('files').select('sha256').execute();
    assert.ok(sums.every(({ sha256 }) => sha256 !== null));
  });

  test('a file added between the gate and the bytes is not sent unscanned', async (t) => {
    const server = await start(t);
    const paula = await server.signIn('paula');
    const sent = await sendTransfer(paula, [TEXT, { ...TEXT, fileName: 'b.txt' }]);
    await server.drainJobs();
    const { db } = server.context;
    const share = (await findShare(db, sent.token))!;
    const { uploadId } = await announceFile(paula, 'bad.com', EICAR, sent.id);
    await sendChunks(paula, uploadId, EICAR);
    await completeFile(paula, uploadId);
    const checking = { code: 'file_checking' };
    await assert.rejects(openFile(server.context, share, uploadId), checking);
    const zip = { share, selection: null, isBag: false, admit: async () => {} };
    await assert.rejects(openZip(server.context, new ZipCache(), zip), checking);
    await openFile(server.context, share, sent.fileIds[0]!);
  });

  test('a killed scan is resumed without scanning finished files again', async (t) => {
    const server = await start(t);
    const names = Array.from({ length: 30 }, (_, index) => `${index}.txt`);
    const files = names.map((fileName) => ({ fileName, bytes: Buffer.from(fileName) }));
    const { token } = await sendTransfer(await server.signIn('paula'), files, TO);
    const stop = new AbortController();
    let opened = 0;
    const scanner = server.context.scanner!;
    const open = scanner.open.bind(scanner);
    t.mock.method(scanner, 'open', async () => {
      opened += 1;
      if (opened === 28) stop.abort();
      return open();
    });
    const userId = server.userId('paula');
    const once = { attempt: 1, signal: stop.signal };
    await assert.rejects(scanFilesJob.run(server.context, { userId }, once), { name: 'AbortError' });
    assert.equal((await heldFiles(server)).length, 3);
    // Restore the job as a killed process would leave it: another one resumes it once the lease has expired.
    const leasedUntil = server.clock.now() + MINUTE_MS;
    const jobs = server.context.db.updateTable('jobs').where('name', '=', 'scan-files');
    await jobs.set({ leaseId: 'killed', leasedUntil }).execute();
    await server.drainJobs();
    assert.deepEqual(await view(server.anonymous(), token), { isChecking: true });
    server.clock.advance(MINUTE_MS + 1);
    await server.drainJobs();
    assert.equal(opened, 31);
    assert.equal((await view(server.anonymous(), token)).files!.length, 30);
  });

  test('a file on which the scanner fails does not delay others', async (t) => {
    const server = await start(t, { SCAN_UNSCANNED: 'hold' });
    const paula = await server.signIn('paula');
    const poison = await sendTransfer(paula, [LARGE], TO);
    const scanner = server.context.scanner!;
    const open = scanner.open.bind(scanner);
    t.mock.method(scanner, 'exceedsStreamLimit', async () => false);
    t.mock.method(scanner, 'open', async () => {
      const stream = await open();
      // Simulates clamd crashing in the middle of a scan.
      return {
        ...stream,
        write: async (bytes: Buffer) => stream.write(bytes.length > 1000 ? crash(stream) : bytes),
      };
    });
    await server.drainJobs();
    const other = await sendTransfer(paula, [TEXT], TO);
    await server.drainJobs();
    assert.equal((await view(server.anonymous(), other.token)).files!.length, 1);
    assert.equal((await view(server.anonymous(), poison.token)).isChecking, true);
    for (let round = 0; round < 3; round += 1) {
      server.clock.advance(MINUTE_MS);
      await server.drainJobs();
    }
    assert.deepEqual(
      (await heldFiles(server)).map(({ state, finding }) => [state, finding]),
      [['unscanned', 'failed']],
    );
  });

  test('owners take turns: a long list does not delay other owners', async (t) => {
    const server = await start(t);
    const many = Array.from({ length: 60 }, (_, index) => ({
      fileName: `${index}.txt`,
      bytes: Buffer.from(String(index)),
    }));
    const long = await sendTransfer(await server.signIn('prem'), many);
    const short = await sendTransfer(await server.signIn('paula'), [TEXT]);
    // Make every reading of the clock exceed the owner's turn.
    let now = 0;
    t.mock.method(performance, 'now', () => (now += 1_000));
    const jobs = async () =>
      (
        await server.context.db
          .selectFrom('jobs')
          .select('payload')
          .where('name', '=', 'scan-files')
          .execute()
      ).length;
    assert.equal(await jobs(), 2);
    for (const userId of [server.userId('prem'), server.userId('paula')])
      await scanFilesJob.run(
        server.context,
        { userId },
        { attempt: 1, signal: new AbortController().signal },
      );
    t.mock.restoreAll();
    assert.equal((await view(server.anonymous(), long.token)).isChecking, true);
    assert.equal((await view(server.anonymous(), short.token)).files!.length, 1);
    await server.drainJobs();
    assert.equal((await view(server.anonymous(), long.token)).files!.length, 60);
  });

  test('without a scanner no file is held, and files held before its removal are released', async (t) => {
    const without = await startTestServer(t);
    const sent = await sendTransfer(await without.signIn('paula'), [INFECTED], TO);
    assert.equal((await view(without.anonymous(), sent.token)).files!.length, 1);
    assert.deepEqual(await heldFiles(without), []);

    const server = await start(t);
    const held = await sendTransfer(await server.signIn('paula'), [TEXT], TO);
    server.context.scanner = undefined;
    server.context.config.scan = undefined;
    await server.drainJobs();
    assert.equal((await view(server.anonymous(), held.token)).files!.length, 1);
  });
}

function crash(stream: { close(): void }): Buffer {
  stream.close();
  return Buffer.alloc(1);
}

const view = (guest: Client, token: string) => guest.call(viewDownload, { params: { token } });

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'ok',
    (error: ApiError) => error.code ?? String(error),
  );
}

async function mailedTo(server: TestServer): Promise<string[]> {
  const mails = await server.mails();
  return mails.filter(({ kind }) => kind === 'transfer-ready').map(({ recipient }) => recipient);
}

function heldFiles({ context }: TestServer) {
  return context.db.selectFrom('heldFiles').selectAll().orderBy('createdAt').orderBy('foundAt').execute();
}

type Named = { fileName: string; bytes: Buffer };

async function zipOf(t: TestContext, { fileName, bytes }: Named, password?: string): Promise<Named> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-zip-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, fileName), bytes);
  const options = password === undefined ? [] : ['-P', password];
  await run('zip', ['-q', '-j', ...options, join(folder, 'out.zip'), join(folder, fileName)]);
  return { fileName: `${fileName}.zip`, bytes: await readFile(join(folder, 'out.zip')) };
}
