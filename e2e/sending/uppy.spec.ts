import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { build, type Rolldown } from 'vite';
import { getTransfer, listTransfers } from '../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { setLine } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createMember, signIn } from '../actions/people.ts';

// The page runs a foreign script.
test.use({ bypassCSP: true });

const FILES = [
  { path: 'album/large.bin', sizeBytes: 60 * MIB },
  { path: 'album/more/small.bin', sizeBytes: 70_001 },
  { path: 'album/empty.bin', sizeBytes: 0 },
];

test('Uppy sends a folder as one transfer and resumes after a pause and a killed server', {
  tag: '@all',
}, async ({ ownServer, context }) => {
  const member = await createMember(ownServer, 'premium');
  await signIn(context, member);
  const page = await context.newPage();
  await page.goto(`${ownServer.url}/dashboard`);
  await page.addScriptTag({ content: await bundleUppy() });
  // The upload must not end before the pause and the kill.
  await setLine(page, 'slow');
  await page.evaluate(startUppy, FILES);

  await untilSentMoreThan(page, 0);
  await page.evaluate('uppy.pauseAll()');
  const paused = await sentBytes(page);
  await page.evaluate('uppy.resumeAll()');
  await untilSentMoreThan(page, paused);
  await ownServer.kill();
  await setLine(page, 'normal');
  await ownServer.start();
  await expect
    .poll(() => page.evaluate('globalThis.uppyResult'), { timeout: 45_000 })
    .toEqual({ sent: 3, failed: [] });

  const [transfer] = await member.client.call(listTransfers);
  expect(transfer).toMatchObject({ title: 'From Uppy', fileCount: 3 });
  const { files } = await member.client.call(getTransfer, { params: { id: transfer!.id } });
  expect(files.map(({ relativePath }) => relativePath).sort()).toEqual(FILES.map(({ path }) => path).sort());
  for (const { id, relativePath, size } of files) {
    const response = await ownServer.anonymous().fetch(fileDownloadPath(transfer!.token, id));
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.length, relativePath).toBe(size);
    expect(
      bytes.every((byte, at) => byte === ((at * 31 + (at >> 16)) & 255)),
      relativePath,
    ).toBe(true);
  }
});

/** A module as other sites would load it. Its types need a DOM, so it is not imported here. */
const MODULE = [
  `export { Uppy } from ${JSON.stringify(fileURLToPath(import.meta.resolve('@uppy/core')))};`,
  `export { default as Tus } from ${JSON.stringify(fileURLToPath(import.meta.resolve('@uppy/tus')))};`,
].join('\n');

async function bundleUppy(): Promise<string> {
  const entry = join(import.meta.dirname, 'uppy.js');
  const plugin = {
    name: 'uppy',
    enforce: 'pre' as const,
    resolveId: (id: string) => (id === entry ? id : undefined),
    load: (id: string) => (id === entry ? MODULE : undefined),
  };
  const lib = { entry, formats: ['iife' as const], name: 'UppyClient' };
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [plugin],
    build: { write: false, lib },
  });
  return (built as Rolldown.RolldownOutput[])[0]!.output[0].code;
}

/** Runs in the page. */
function startUppy(files: { path: string; sizeBytes: number }[]): void {
  // biome-ignore lint/suspicious/noExplicitAny: the names of a page of somebody else's
  const page = globalThis as any;
  const { Uppy, Tus } = page.UppyClient;
  const uppy = new Uppy().use(Tus, { endpoint: '/api/tus/', retryDelays: Array(100).fill(300), limit: 3 });
  page.uppy = uppy;
  uppy.setMeta({ transfer: 'uppy', fileCount: String(files.length), title: 'From Uppy' });
  for (const { path, sizeBytes } of files) {
    const bytes = new Uint8Array(sizeBytes).map((_, at) => (at * 31 + (at >> 16)) & 255);
    const name = path.split('/').at(-1);
    uppy.addFile({ name, type: 'application/x-test', data: new Blob([bytes]), meta: { relativePath: path } });
  }
  uppy.upload().then((result: { successful: unknown[]; failed: { error: string }[] }) => {
    page.uppyResult = { sent: result.successful.length, failed: result.failed.map(({ error }) => error) };
  });
}

async function sentBytes(page: Page): Promise<number> {
  return page.evaluate('uppy.getFiles().reduce((sum, file) => sum + (file.progress.bytesUploaded || 0), 0)');
}

async function untilSentMoreThan(page: Page, bytes: number): Promise<void> {
  await expect.poll(() => sentBytes(page)).toBeGreaterThan(bytes);
}
