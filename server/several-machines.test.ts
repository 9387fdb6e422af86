import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { logout } from '../contracts/accounts.ts';
import { verifyDownload } from '../contracts/downloads.ts';
import { fileDownloadPath } from '../contracts/links.ts';
import { listTransfers } from '../contracts/transfers.ts';
import { CallError, Client } from './testing/client.ts';
import { type Fleet, useFleets } from './testing/fleets.ts';
import { machinePeer, postSlowly, postThrough } from './testing/peers.ts';
import { isS3ServerInstalled } from './testing/s3-server.ts';
import { sendTransfer } from './testing/send-transfer.ts';
import type { ServerProcess } from './testing/server-process.ts';
import { until } from './testing/until.ts';
import { announceFile, makeBytes } from './testing/upload-files.ts';
import { startInvitation, visitInvitation } from './testing/visit.ts';
import { SMALL, VisitorUploads } from './testing/visitor-uploads.ts';

const skip = isS3ServerInstalled() ? false : 'OpenStack Swift is missing: run bin/install-test-servers.ts';

describe('several machines on one PostgreSQL and one bucket', { skip }, () => {
  const { openFleet, startMachines, shared } = useFleets();

  describe('of which two run', () => {
    let fleet: Fleet;
    let machines: ServerProcess[];
    before(async () => {
      fleet = await openFleet();
      machines = await startMachines(shared, fleet, 2);
    });

    test('a session of one is a session of the other, until either ends it', async () => {
      const [one, other] = machines as [ServerProcess, ServerProcess];
      const client = await one.signIn();
      const there = new Client(other.url, client.jar);
      assert.equal((await there.call(listTransfers)).constructor, Array);
      const cookies = client.jar.list();
      await there.call(logout);
      for (const cookie of cookies) client.jar.add(cookie);
      await assert.rejects(client.call(listTransfers), (error) => isStatus(error, 401));
    });

    test('a password given to one opens the transfer at the other', async () => {
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

    test('a chunk whose lease is lost over a healthy connection is answered with 503, and may come again', async () => {
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

    test('an invited visitor is known to both, and sends through both', async () => {
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
});

function isStatus(error: unknown, status: number): boolean {
  return error instanceof CallError && error.status === status;
}
