import assert from 'node:assert/strict';
import test from 'node:test';
import type { Client } from '../../../testing/calls/client.ts';
import { killAfterTouches } from '../../../testing/processes/kill-moments.ts';
import { startServerProcess } from '../../../testing/processes/server-process.ts';
import {
  makeSealedManifest,
  putSealed,
  sendSealedTransfer,
} from '../../../testing/uploads/sealed-transfers.ts';

/** More changes in DATA_DIR than storing a manifest makes. */
const KILLS = 12;

test('a server killed between blob and row of a manifest has the old or the new one, and takes it again', async (t) => {
  const server = await startServerProcess(t);
  const { id: transferId } = await sendSealedTransfer(await server.signIn(), { sizes: [1_000] });
  let current = await readManifest(await server.signIn(), transferId);
  const kept = { old: 0, new: 0 };
  for (let touches = 0; touches < KILLS; touches += 1) {
    const revision = current.revision + 1;
    const next = { revision, bytes: makeSealedManifest(`revision ${revision}`, 64) };
    const client = await server.signIn();
    await killAfterTouches(
      server,
      touches,
      putSealed(client, { transferId, ...next }).then((response) => response.arrayBuffer()),
    );
    await server.start();
    const again = await server.signIn();
    const found = await readManifest(again, transferId);
    kept[found.revision === revision ? 'new' : 'old'] += 1;
    assert.deepEqual(found, found.revision === revision ? next : current, `after ${touches} changes`);
    const response = await putSealed(again, { transferId, ...next });
    assert.ok(response.ok, `after ${touches} changes: ${response.status} ${await response.text()}`);
    current = await readManifest(again, transferId);
    assert.deepEqual(current, next);
  }
  assert.ok(kept.old > 1, JSON.stringify(kept));
});

async function readManifest(client: Client, id: string): Promise<{ revision: number; bytes: Buffer }> {
  const response = await client.fetch(`/api/transfers/${id}/manifest`);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString('latin1', 0, 200));
  return { revision: Number(response.headers.get('sendwell-manifest-revision')), bytes };
}
