import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listTransfers } from '../../../contracts/transfers/transfers.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { seedRandom } from '../../../testing/lib/seeded-random.ts';
import { killAfterTouches } from '../../../testing/processes/kill-moments.ts';
import { chunkKey } from '../../../testing/uploads/chunk-lanes.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';
import {
  announce,
  missingChunks,
  openLanes,
  openVisitTo,
  planFolder,
  readMails,
  requireArrived,
} from '../../../testing/visitors/visitor-deliveries.ts';
import { RawForm } from '../../../testing/visitors/visitor-form.ts';

describe('a visitor’s upload', { concurrency: 2 }, () => {
  test(
    'resumes after kill -9: acknowledged chunks are kept, and the transfer is delivered once',
    onlyInAll,
    async (t) => {
      const random = seedRandom(t);
      const { server, ada, invitationToken, visitor } = await openVisitTo(t, async ({ url }) => url);
      const files = planFolder(40 * MIB);
      const announced = await announce(visitor, files);
      const uploadIds = announced.uploads.map(({ uploadId }) => uploadId);
      const delivery = { visitor, invitationToken, files, uploadIds };
      for (let kills = 3; kills > 0; kills -= 1) {
        const lanes = openLanes(delivery);
        const missing = await Array.fromAsync(missingChunks(delivery));
        await killAfterTouches(server, random.between(1, 10), lanes.send(missing));
        await server.start();
        const left = new Set((await Array.fromAsync(missingChunks(delivery))).map(chunkKey));
        assert.deepEqual(
          [...lanes.acknowledged].filter((key) => left.has(key)),
          [],
        );
      }
      await openLanes(delivery).send(await Array.fromAsync(missingChunks(delivery)));
      const complete = () => visitor.complete(announced);
      await killAfterTouches(server, random.between(0, 3), complete());
      await server.start();
      await complete();
      assert.deepEqual(await complete(), { token: '', transfer: { id: announced.transferId } });
      assert.equal((await ada.call(listTransfers)).length, 1);
      await requireArrived(ada, announced.transferId, files);
      const received = readMails(server).filter(({ kind }) => kind === 'transfer-received');
      assert.equal(received.length, 1);
    },
  );

  test('as a form: kill -9 in the middle of it leaves no bytes', onlyInAll, async (t) => {
    const random = seedRandom(t);
    const { server, ada, invitationToken, visitor } = await openVisitTo(t, async ({ url }) => url);
    const form = new RawForm(visitor.client, invitationToken);
    await form.beginFile('a.bin');
    await form.write(makeBytes(random.between(1, 4 * MIB)));
    await server.restart();
    await form.connection.closed;
    for (const folder of ['incoming', 'blobs']) {
      const entries = readdirSync(join(server.dataDir, folder), { recursive: true, withFileTypes: true });
      // An empty file may remain if the server was killed between creating and unlinking it.
      const left = entries.filter(
        (entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).size,
      );
      const names = left.map(({ name }) => name).filter((name) => name !== 'installation.json');
      assert.deepEqual(names, [], folder);
    }
    assert.deepEqual(await visitor.list(), []);
    assert.deepEqual(await ada.call(listTransfers), []);
  });
});
