import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { before, describe, test } from 'node:test';
import { ApiError } from '../../../client/api-error.ts';
import { login, logout } from '../../../contracts/accounts/accounts.ts';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { verifyDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { listTransfers } from '../../../contracts/transfers/transfers.ts';
import { initUploads, listChunks } from '../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { Client } from '../../../testing/calls/client.ts';
import { CAST, PASSWORD } from '../../../testing/cast.ts';
import { until } from '../../../testing/lib/until.ts';
import { startSmtpServer } from '../../../testing/network/smtp-server.ts';
import { type Fleet, useFleets } from '../../../testing/processes/fleets.ts';
import { machinePeer, postSlowly, postThrough } from '../../../testing/processes/peers.ts';
import { prepareServerProcess, type ServerProcess } from '../../../testing/processes/server-process.ts';
import { isS3ServerInstalled } from '../../../testing/storage/s3-server.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import {
  announceFile,
  completeFile,
  describeFile,
  makeBytes,
} from '../../../testing/uploads/upload-files.ts';
import { startInvitation, visitInvitation } from '../../../testing/visitors/visit.ts';
import { SMALL, VisitorUploads } from '../../../testing/visitors/visitor-uploads.ts';
import { declareSeveralTests } from './several.suite.ts';

const skip = isS3ServerInstalled() ? false : 'OpenStack Swift is missing: run bin/install-test-servers.ts';

describe('several machines on one PostgreSQL and one bucket', { skip }, () => {
  const { openFleet, startMachines, shared } = useFleets();

  describe('with two running', () => {
    let fleet: Fleet;
    let machines: ServerProcess[];
    before(async () => {
      fleet = await openFleet();
      machines = await startMachines(shared, fleet, 2);
    });

    declareSeveralTests(async () => {
      const [one, other] = machines.map(machinePeer);
      return { peers: [one!, other!], client: await machines[0]!.signIn(), db: fleet.db };
    });

    test('a session on one machine is valid on the other until either ends it', async () => {
      const [one, other] = machines as [ServerProcess, ServerProcess];
      const client = await one.signIn();
      const there = new Client(other.url, client.jar);
      assert.equal((await there.call(listTransfers)).constructor, Array);
      const cookies = client.jar.list();
      await there.call(logout);
      for (const cookie of cookies) client.jar.add(cookie);
      await assert.rejects(client.call(listTransfers), (error) => isStatus(error, 401));
    });

    test('a password entered on one machine unlocks the transfer on the other', async () => {
      const [one, other] = machines as [ServerProcess, ServerProcess];
      const files = [{ fileName: 'locked.bin', bytes: makeBytes(2_000) }];
      const { token, fileIds } = await sendTransfer(await one.signIn(), files, { password: 'sesame open' });
      const browser = one.anonymous();
      const path = fileDownloadPath(token, fileIds[0]!);
      assert.equal((await other.anonymous().fetch(path)).status, 423);
      await browser.call(verifyDownload, { params: { token }, body: { password: 'sesame open' } });
      const answer = await new Client(other.url, browser.jar).fetch(path);
      assert.equal(answer.status, 200);
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(files[0]!.bytes));
    });

    test('a chunk whose lease is lost is answered with 503 and can be sent again', async () => {
      const client = await machines[0]!.signIn();
      const bytes = makeBytes(100_000, 'lost lease');
      const { uploadId } = await announceFile(client, 'lost.bin', bytes);
      const peer = machinePeer(machines[0]!);
      const slow = await postSlowly(peer, client, { uploadId, index: 0, bytes });
      const lose = () =>
        fleet.db.deleteFrom('leases').where('key', 'like', `${uploadId}%`).executeTakeFirstOrThrow();
      await until(async () => (await lose()).numDeletedRows > 0n);
      assert.equal(await slow.status, 503);
      assert.equal(await postThrough(peer, client, { uploadId, index: 0, bytes }), 200);
    });

    test('an invited visitor can send through both machines', async () => {
      const [one, other] = machines as [ServerProcess, ServerProcess];
      const { token } = await startInvitation(await one.signIn());
      const mails = () => fleet.db.selectFrom('mails').selectAll().execute();
      const visitor = await visitInvitation({ anonymous: () => one.anonymous(), mails }, token);
      const [here, there] = [visitor, new Client(other.url, visitor.jar)].map(
        (client) => new VisitorUploads(client, token),
      );
      const announced = await here!.announce(SMALL);
      await there!.send(announced, SMALL);
      assert.ok((await here!.complete(announced)).transfer.id);
    });
  });

  test('when a machine is killed in the middle of uploads, another one and a later one continue them', async (t) => {
    const fleet = await openFleet();
    const [killed, other] = (await startMachines(t, fleet, 2)) as [ServerProcess, ServerProcess];
    const client = await killed.signIn();
    const there = new Client(other.url, client.jar);
    const files = [
      { fileName: 'large.bin', bytes: makeBytes(7 * CHUNK_BYTES - 4_321, 'large') },
      { fileName: 'small.bin', bytes: makeBytes(100_000, 'small') },
    ];
    const { transferId, uploads } = await client.call(initUploads, {
      body: { files: files.map(({ fileName, bytes }) => describeFile(fileName, bytes)) },
    });
    const [uploadId, smallId] = uploads.map((upload) => upload.uploadId) as [string, string];
    const chunkAt = (index: number) => ({
      uploadId,
      index,
      bytes: files[0]!.bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
    });
    const [first, second] = [machinePeer(killed), machinePeer(other)];
    const sending = [0, 1, 2, 3].map((index) =>
      postThrough(index % 2 ? first : second, client, chunkAt(index)),
    );
    assert.deepEqual(await Promise.all(sending), [200, 200, 200, 200]);
    const small = { uploadId: smallId, index: 0, bytes: files[1]!.bytes };
    assert.equal(await postThrough(first, client, small), 200);
    const cut = await postSlowly(first, client, chunkAt(4));
    await killed.kill();
    assert.equal(await cut.status, undefined);
    assert.deepEqual((await there.call(listChunks, { params: { uploadId } })).chunks, [0, 1, 2, 3]);
    // The lease of the dead process expires without help.
    assert.equal(await postThrough(second, client, chunkAt(4)), 200);
    const [later] = (await startMachines(t, fleet, 1)) as [ServerProcess];
    const third = machinePeer(later);
    assert.equal(await postThrough(third, client, chunkAt(5)), 200);
    assert.equal(await postThrough(second, client, chunkAt(6)), 200);
    const settings = { fileCount: 2, recipientEmails: ['rex@example.org'] };
    const [{ token }] = await Promise.all([
      completeFile(there, uploadId, settings),
      completeFile(new Client(later.url, client.jar), uploadId, settings),
    ]);
    await completeFile(new Client(later.url, client.jar), smallId, { fileCount: 2 });
    const sent = { id: transferId, token, fileIds: [uploadId, smallId], files };
    for (const machine of [other, later]) await requireWhole(machine.anonymous(), sent);
    assert.equal((await there.call(listTransfers)).length, 1);
    const mails = await fleet.db
      .selectFrom('mails')
      .select('id')
      .where('recipient', '=', 'rex@example.org')
      .execute();
    assert.equal(mails.length, 1);
  });

  test('a job of a killed machine is done by another, and its mail is sent once', async (t) => {
    const fleet = await openFleet();
    // A mail server that accepts connections and never responds.
    const mute = createServer();
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    const smtpUrl = { SMTP_URL: `smtp://127.0.0.1:${port}` };
    const [killed] = (await startMachines(t, fleet, 1, smtpUrl)) as [ServerProcess];
    const connected = once(mute, 'connection');
    const files = [{ fileName: 'mailed.bin', bytes: makeBytes(10) }];
    await sendTransfer(await killed.signIn(), files, { recipientEmails: ['rex@example.org'] });
    await connected;
    await killed.kill();
    mute.close();
    const smtp = await startSmtpServer({ port });
    t.after(() => smtp.stop());
    await startMachines(t, fleet, 1, smtpUrl);
    // Expires the leases, as if a minute had passed.
    await fleet.db.updateTable('jobs').set({ leasedUntil: 1 }).where('leaseId', 'is not', null).execute();
    const toRex = () => smtp.mails.filter(({ envelope }) => envelope.to.includes('rex@example.org'));
    await until(async () => toRex().length > 0);
    const isSent = fleet.db.selectFrom('mails').select('id').where('recipient', '=', 'rex@example.org');
    await until(async () => (await isSent.where('state', '=', 'sent').execute()).length === 1);
    assert.equal(toRex().length, 1);
  });

  test('wrong passwords on all machines count together', async (t) => {
    const fleet = await openFleet();
    const machines = await startMachines(t, fleet, 2, { RATE_LIMIT: 'on' });
    const guess = async (at: number) => {
      const body = { username: CAST.ada.username, password: `${PASSWORD} not` };
      const answer = machines[at % 2]!.anonymous().call(login, { body });
      return answer.then(
        () => 200,
        (error: ApiError) => error.status,
      );
    };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 50) statuses.push(await guess(statuses.length));
    assert.equal(statuses.at(-1), 429);
    assert.equal(await guess(statuses.length), 429, 'the other one refuses as well');
  });

  test('a machine with a different secret is refused with one sentence', async (t) => {
    const fleet = await openFleet();
    await startMachines(t, fleet, 1);
    const stranger = await prepareServerProcess(t, { ...fleet.env, SESSION_SECRET: '' });
    stranger.launch();
    const { code, output } = await stranger.waitForExit();
    assert.equal(code, 1);
    assert.match(output, /^This database was used with another secret[^\n]+SESSION_SECRET[^\n]+\n$/);
  });
});

function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
