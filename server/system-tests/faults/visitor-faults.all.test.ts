import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import { seedRandom } from '../../../testing/lib/seeded-random.ts';
import { startFaultProxy } from '../../../testing/network/fault-proxy.ts';
import {
  announce,
  missingChunks,
  openLanes,
  openVisitTo,
  persist,
  planFolder,
  requireArrived,
} from '../../../testing/visitors/visitor-deliveries.ts';

/** The number of bytes sent over the bad connection. `BAD_LINE_MIB=2048` runs the test at full size. */
const BAD_LINE_BYTES = Number(process.env.BAD_LINE_MIB ?? 64) * MIB;

const CUTS = 10;

describe('a visitor’s upload', { concurrency: 2 }, () => {
  test(`over a connection that is cut ${CUTS} times: a folder of ${BAD_LINE_BYTES / MIB} MiB arrives intact`, async (t) => {
    const random = seedRandom(t);
    const cutAt = Array.from({ length: CUTS }, () => random.between(1, BAD_LINE_BYTES - 1));
    const files = planFolder(BAD_LINE_BYTES);
    const line = Promise.withResolvers<Awaited<ReturnType<typeof startFaultProxy>>>();
    const { ada, invitationToken, visitor } = await openVisitTo(t, async (server) => {
      const proxy = await startFaultProxy(server.url);
      t.after(() => proxy.stop());
      line.resolve(proxy);
      return proxy.endpoint;
    });
    const proxy = await line.promise;
    proxy.cutAt = cutAt.sort((a, b) => a - b);
    const { transferId, uploads } = await persist(() => announce(visitor, files));
    const uploadIds = uploads.map(({ uploadId }) => uploadId);
    const delivery = { visitor, invitationToken, files, uploadIds };
    let sentBytes = 0;
    for (let rounds = 0; ; rounds += 1) {
      const missing = missingChunks(delivery);
      const lanes = openLanes(delivery);
      let count = 0;
      const counted = (async function* () {
        for await (const chunk of missing) {
          count += 1;
          sentBytes += chunk.bytes.length;
          yield chunk;
        }
      })();
      await lanes.send(counted);
      if (count === 0) break;
      assert.ok(rounds <= CUTS + 1, 'after each cut it resumes where it stopped');
    }
    assert.deepEqual(proxy.cutAt, [], 'all cuts were made');
    t.diagnostic(`${CUTS} cuts, ${((sentBytes - BAD_LINE_BYTES) / MIB).toFixed(1)} MiB begun twice`);
    // A cut costs at most the chunks in flight in four lanes.
    assert.ok(sentBytes - BAD_LINE_BYTES <= CUTS * 4 * CHUNK_BYTES);
    const announced = { transferId, uploads };
    const answer = await persist(() => visitor.complete(announced));
    assert.deepEqual(answer, { token: '', transfer: { id: transferId } });
    await requireArrived(ada, transferId, files);
  });
});
