import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Exit, prepareServerProcess } from './server-process.ts';

export async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-env-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function launch(t: TestContext, env: Record<string, string>): Promise<Exit> {
  const server = await prepareServerProcess(t, env);
  server.launch();
  return server.waitForExit();
}
