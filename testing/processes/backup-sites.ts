import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Client } from '../calls/client.ts';
import { requireWhole, type SentTransfer } from '../uploads/send-transfer.ts';
import { BackupLoad } from './backup-load.ts';
import { runCliForJson } from './run-cli.ts';
import { prepareServerProcess, type ServerProcess, startServerProcess } from './server-process.ts';

export async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-backup-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function requireAll(client: Client, sent: SentTransfer[]): Promise<void> {
  for (const transfer of sent) await requireWhole(client, transfer);
}

/** Asserts that every file of a restored server can be read in full. */
export async function requireConsistent(server: ServerProcess): Promise<void> {
  const verified = await runCliForJson(server.environment, 'verify-storage', '--deep');
  assert.deepEqual([verified.findings, verified.code], [[], 0]);
}

/**
 * Backs up a server under load, restores to another server, and asserts that everything acknowledged before and not
 * deleted is there. `makePlace` returns the settings of a server's database and storage.
 */
export async function requireRestorable(
  t: TestContext,
  makePlace: () => Promise<Record<string, string>>,
): Promise<void> {
  const server = await startServerProcess(t, await makePlace());
  const client = await server.signIn();
  const load = new BackupLoad(client);
  for (let index = 0; index < 6; index += 1) await load.send(`first ${index}`);
  await load.leaveOpen();
  load.start();
  const before = [...load.sent];
  const folder = await makeFolder(t);
  const made = await runCliForJson(server.environment, 'backup', folder);
  const deleted = new Set(load.deleted);
  assert.equal(made.code, 0, JSON.stringify(made));
  await server.kill();
  await load.stop();

  const heir = await prepareServerProcess(t, await makePlace());
  const restored = await runCliForJson(heir.environment, 'restore', folder);
  assert.deepEqual([restored.code, restored.missingBlobs], [0, 0]);
  assert.ok((restored.droppedUploads as number) >= 1);
  await heir.start();
  const again = await heir.signIn();
  const kept = before.filter(({ id }) => !deleted.has(id));
  assert.ok(kept.length > 0);
  await requireAll(again, kept);
  await requireConsistent(heir);
  const next = await new BackupLoad(again).send('after');
  await requireWhole(again, next);
}
