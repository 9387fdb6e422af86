import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MINUTE_MS } from '../../contracts/values/durations.ts';
import { readConfig } from '../../server/config.ts';
import { createOperatorContext } from '../../server/create-context.ts';
import { runCommand } from '../../testing/processes/run-command.ts';
import { filesAreOnDisk } from '../../testing/storage/test-storage.ts';
import { startTestServer } from '../../testing/test-context.ts';
import {
  makeSealed,
  makeSealedManifest,
  putSealed,
  sendSealedTransfer,
} from '../../testing/uploads/sealed-transfers.ts';
import { readStored } from '../../testing/uploads/upload-files.ts';
import { backup } from './backup-command.ts';
import { restore } from './restore-command.ts';

const skip = !filesAreOnDisk && 'needs files on the disk';

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-backup-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a backup restores manifest and thumbnails of encrypted transfers', { skip }, async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { id: transferId } = await sendSealedTransfer(prem);
  const pictures = makeSealed(6_000_000, 'pictures');
  await putSealed(prem, { transferId, revision: 1, bytes: pictures, kind: 'pictures' });
  const folder = await makeFolder(t);
  const { context } = server;
  const run = () => {
    server.clock.advance(MINUTE_MS);
    return runCommand(backup, { config: context.config, context }, folder);
  };
  assert.equal((await run()).code, 0);
  const manifest = makeSealedManifest('second');
  await putSealed(prem, { transferId, revision: 2, bytes: manifest });
  await server.drainJobs();
  assert.equal((await run()).code, 0);

  const config = readConfig({ DATA_DIR: await makeFolder(t), LOG_LEVEL: 'silent' });
  assert.equal((await runCommand(restore, { config }, folder)).code, 0);
  const restored = await createOperatorContext(config);
  t.after(() => restored.close());
  const documents = await restored.db.selectFrom('sealedDocuments').selectAll().orderBy('kind').execute();
  const stored = documents.map(({ storageKey, sizeBytes }) =>
    readStored(restored, { storageKey, offset: 0, sizeBytes }),
  );
  assert.deepEqual(await Promise.all(stored), [manifest, pictures]);
});
