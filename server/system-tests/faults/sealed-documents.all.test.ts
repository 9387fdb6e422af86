import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Client as Database } from 'pg';
import type { Client } from '../../../testing/calls/client.ts';
import { openPostgres } from '../../../testing/databases/postgres.ts';
import { until } from '../../../testing/lib/until.ts';
import { killAfterTouches } from '../../../testing/processes/kill-moments.ts';
import { startServerProcess } from '../../../testing/processes/server-process.ts';
import {
  makeSealedManifest,
  putSealed,
  sendSealedTransfer,
} from '../../../testing/uploads/sealed-transfers.ts';

/** More changes in DATA_DIR than storing a manifest makes. */
const KILLS = 12;

test('a server killed between blob and row of a manifest has the old one, and takes the new one again', async (t) => {
  const postgres = await openPostgres();
  t.after(() => postgres.stop());
  const url = await postgres.createDatabase();
  const server = await startServerProcess(t, { DATABASE_URL: url });
  const client = await server.signIn();
  const { id: transferId } = await sendSealedTransfer(client, { sizes: [1_000] });
  const old = await readManifest(client, transferId);
  const next = { revision: old.revision + 1, bytes: makeSealedManifest('next', 64) };
  const listBlobs = () => readdirSync(join(server.dataDir, 'blobs'), { recursive: true });
  const before = listBlobs().length;

  // The server stores the blob and then waits for this lock to write the row.
  const database = new Database({ connectionString: url });
  await database.connect();
  await database.query('begin; lock table "sealedDocuments" in exclusive mode');
  const sending = putSealed(client, { transferId, ...next }).catch(() => undefined);
  await until(async () => listBlobs().length > before);
  await server.kill();
  await database.end();
  assert.equal(await sending, undefined);

  await server.start();
  const again = await server.signIn();
  assert.deepEqual(await readManifest(again, transferId), old);
  assert.ok((await putSealed(again, { transferId, ...next })).ok);
  assert.deepEqual(await readManifest(again, transferId), next);
});

test('a server killed while it stores a manifest has the old or the new one, and takes it again', async (t) => {
  const server = await startServerProcess(t);
  const { id: transferId } = await sendSealedTransfer(await server.signIn(), { sizes: [1_000] });
  let current = await readManifest(await server.signIn(), transferId);
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
    assert.deepEqual(found, found.revision === revision ? next : current, `after ${touches} changes`);
    const response = await putSealed(again, { transferId, ...next });
    assert.ok(response.ok, `after ${touches} changes: ${response.status} ${await response.text()}`);
    current = await readManifest(again, transferId);
    assert.deepEqual(current, next);
  }
});

async function readManifest(client: Client, id: string): Promise<{ revision: number; bytes: Buffer }> {
  const response = await client.fetch(`/api/transfers/${id}/manifest`);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString('latin1', 0, 200));
  return { revision: Number(response.headers.get('sendwell-manifest-revision')), bytes };
}
