import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { zipDownloadPath } from '../../contracts/values/addresses/links.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { type EncryptedTransfer, sendEncryptedTransfer } from '../../testing/uploads/encrypted-transfers.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { downloadAfter } from '../actions/downloads.ts';
import {
  FULL_STORAGE,
  hashPrivateFiles,
  NO_PICKERS,
  NO_ROOM,
  NO_SERVICE_WORKER,
  openEncrypted,
  PICK_PRIVATE_PLACES,
  saveAll,
} from '../actions/encrypted.ts';
import { expect, test } from '../actions/fixtures.ts';
import type { Member } from '../actions/people.ts';
import { listFiles, sha256, unzip } from '../actions/sample-files.ts';

/** A download of the service worker must reach it. */
test.use({ serviceWorkers: 'allow' });

const FILES = [
  { path: 'Film/rushes.mov', bytes: makeBytes(3_500_000, 'rushes') },
  { path: 'Film/写真 🗻.bin', bytes: makeBytes(1_048_536, 'one segment') },
  { path: 'empty.bin', bytes: Buffer.alloc(0) },
  { path: 'notes.txt', bytes: Buffer.from('hello') },
];
const TITLE = 'Summer';

const send = (member: Member, letter: Parameters<typeof sendEncryptedTransfer>[2] = {}) =>
  sendEncryptedTransfer(member.client, FILES, { title: TITLE, ...letter });

async function countDownloads({ client }: Member, { id }: EncryptedTransfer): Promise<number> {
  return (await client.call(getTransfer, { params: { id } })).downloadCount;
}

function expectUnpacked(zip: string, folder: string): void {
  const unpacked = unzip(zip, folder);
  expect(listFiles(unpacked)).toEqual(FILES.map(({ path }) => path).sort());
  for (const { path, bytes } of FILES)
    expect(sha256(readFileSync(join(unpacked, path))), path).toBe(sha256(bytes));
}

test('all files are saved in a folder, and one by a picker, each counted once', async ({
  member,
  visitorPage: page,
}) => {
  const transfer = await send(member);
  await page.addInitScript(PICK_PRIVATE_PLACES);
  await openEncrypted(page, transfer.link);
  await saveAll(page);
  await expect(page.getByText(`Saved 4 files in the folder “${TITLE}”.`)).toBeVisible();
  const expected = Object.fromEntries(FILES.map(({ path, bytes }) => [`${TITLE}/${path}`, sha256(bytes)]));
  expect(await hashPrivateFiles(page)).toEqual(expected);
  expect(await countDownloads(member, transfer)).toBe(1);
  await page.getByRole('button', { name: 'Save rushes.mov' }).click();
  await expect(page.getByText('Saved “rushes.mov”.')).toBeVisible();
  expect((await hashPrivateFiles(page))['rushes.mov']).toBe(sha256(FILES[0]!.bytes));
  expect(await countDownloads(member, transfer)).toBe(2);
});

test('a double click saves once', async ({ member, visitorPage: page }) => {
  const transfer = await send(member);
  await page.addInitScript(NO_PICKERS + NO_ROOM + NO_SERVICE_WORKER);
  await openEncrypted(page, transfer.link);
  const downloads: string[] = [];
  page.on('download', (download) => downloads.push(download.suggestedFilename()));
  await page.getByRole('button', { name: 'Save rushes.mov' }).dblclick();
  await expect(page.getByText('Saved “rushes.mov”.')).toBeVisible();
  await page.getByRole('button', { name: 'Save notes.txt' }).dblclick();
  await expect(page.getByText('Saved “notes.txt”.')).toBeVisible();
  expect(downloads).toEqual(['rushes.mov', 'notes.txt']);
  expect(await countDownloads(member, transfer)).toBe(2);
});

const RUNGS = {
  'staged on disk': NO_PICKERS,
  'streamed by a service worker': NO_PICKERS + NO_ROOM,
  'kept in memory': NO_PICKERS + NO_ROOM + NO_SERVICE_WORKER,
};

for (const [rung, script] of Object.entries(RUNGS)) {
  test(`a zip ${rung} has every byte and is counted once`, async ({
    member,
    visitorPage: page,
  }, testInfo) => {
    const transfer = await send(member);
    await page.addInitScript(script);
    await openEncrypted(page, transfer.link);
    const download = await downloadAfter(page, () => saveAll(page));
    expect(download.suggestedFilename()).toBe(`${TITLE}.zip`);
    await expect(page.getByText(`Saved “${TITLE}.zip”.`)).toBeVisible();
    expectUnpacked(await download.path(), testInfo.outputPath('unpacked'));
    expect(await countDownloads(member, transfer)).toBe(1);
  });

  test(`a damaged file is never part of a zip ${rung}`, async ({ member, visitorPage: page }) => {
    const { link } = await send(member, { damaged: 'Film/rushes.mov' });
    const failures: Promise<string | null>[] = [];
    page.on('download', (download) => failures.push(download.failure()));
    await page.addInitScript(script);
    await openEncrypted(page, link);
    await saveAll(page);
    await expect(page.getByRole('alert')).toContainText('“Film/rushes.mov” is damaged');
    // The streamed download had begun. The browser must not call it complete.
    for (const failure of await Promise.all(failures)) expect(failure).not.toBeNull();
    await expect(page.getByText(/^Saved “/)).toHaveCount(0);
  });
}

test('a file that the private storage has no room for is saved in a picked place', async ({
  member,
  visitorPage: page,
}) => {
  const transfer = await send(member, { settings: { maxDownloads: 1 } });
  await page.addInitScript(FULL_STORAGE);
  await openEncrypted(page, transfer.link);
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2 * MIB });
  await page.getByRole('button', { name: 'Save rushes.mov' }).click();
  await expect(page.getByRole('alert')).toContainText('Check that there is enough room');
  // The picked place is part of the same storage.
  await session.send('Storage.overrideQuotaForOrigin', { origin });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Saved “rushes.mov”.')).toBeVisible();
  expect(await hashPrivateFiles(page)).toMatchObject({ 'rushes.mov': sha256(FILES[0]!.bytes) });
  expect(await countDownloads(member, transfer)).toBe(1);
});

test('a folder that had no room for a file gets the others once there is room, in one download', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  const transfer = await send(member, { settings: { maxDownloads: 1 } });
  await page.addInitScript(PICK_PRIVATE_PLACES);
  await openEncrypted(page, transfer.link);
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2 * MIB });
  await saveAll(page);
  await expect(page.getByRole('alert')).toContainText('Check that there is enough room');
  await session.send('Storage.overrideQuotaForOrigin', { origin });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(`Saved 4 files in the folder “${TITLE}”.`)).toBeVisible();
  const expected = Object.fromEntries(FILES.map(({ path, bytes }) => [`${TITLE}/${path}`, sha256(bytes)]));
  expect(await hashPrivateFiles(page)).toEqual(expected);
  expect(await countDownloads(member, transfer)).toBe(1);
});

test('a damaged file is not in the folder, and the page says so', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { link } = await send(member, { damaged: 'Film/rushes.mov' });
  await page.addInitScript(PICK_PRIVATE_PLACES);
  await openEncrypted(page, link);
  await saveAll(page);
  await expect(page.getByRole('alert')).toContainText('“Film/rushes.mov” is damaged');
  expect(Object.keys(await hashPrivateFiles(page))).not.toContain(`${TITLE}/Film/rushes.mov`);
  await page.getByRole('checkbox', { name: 'Select notes.txt' }).click();
  await page.getByRole('button', { name: 'Save 1 file (5 B)' }).click();
  await expect(page.getByText('Saved “notes.txt”.')).toBeVisible();
});

test('cut connections are resumed, pause waits, and all of it is one download', async ({
  member,
  visitorPage: page,
}, testInfo) => {
  const transfer = await send(member, { settings: { maxDownloads: 1 } });
  await page.addInitScript(NO_PICKERS);
  const ranges: string[] = [];
  await page.route(`**${zipDownloadPath(transfer.token)}`, async (route) => {
    ranges.push(route.request().headers().range ?? '');
    const response = await route.fetch();
    // The claim passes. Each further response announces more than it has, until little is left.
    const body = await response.body();
    const isCut = ranges.length > 1 && body.length > 500_000;
    await route.fulfill({ response, body: isCut ? body.subarray(0, 500_000) : body });
  });
  await openEncrypted(page, transfer.link);
  const rings = page.locator('.ripples');
  await rings.evaluate((svg) => svg.setAttribute('data-drawn', 'before'));
  const downloading = page.waitForEvent('download');
  await saveAll(page);
  await expect(page.getByText(/Connection lost/)).toBeVisible();
  // Progress has been reported since, and must not draw the button or its rings again.
  await expect(page.getByRole('button', { name: /^Saving/ })).toBeFocused();
  await expect(rings).toHaveAttribute('data-drawn', 'before');
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByText('Paused', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  const download = await downloading;
  expectUnpacked(await download.path(), testInfo.outputPath('unpacked'));
  expect(ranges[0]).toBe('bytes=0-0');
  expect(ranges.length).toBeGreaterThan(5);
  expect(await countDownloads(member, transfer)).toBe(1);
  await expect(page.getByText('Download limit reached.')).toBeVisible();
});

/** Saves the only allowed download, whose connection breaks after the byte that counts it until it is mended. */
async function saveUntilCut(page: Page, member: Member) {
  const transfer = await send(member, { settings: { maxDownloads: 1 } });
  await page.addInitScript(NO_PICKERS);
  let isCut = true;
  await page.route(`**${zipDownloadPath(transfer.token)}`, async (route) => {
    if (isCut && route.request().headers().range !== 'bytes=0-0') return route.abort('connectionreset');
    return route.continue();
  });
  await openEncrypted(page, transfer.link);
  await saveAll(page);
  await expect(page.getByText(/Connection lost/)).toBeVisible();
  const mend = () => {
    isCut = false;
  };
  return { transfer, mend };
}

test('a save that a reload interrupts continues where it stopped, and is counted once', async ({
  member,
  visitorPage: page,
}, testInfo) => {
  const { transfer, mend } = await saveUntilCut(page, member);
  page.on('dialog', (dialog) => dialog.accept());
  await page.reload();
  mend();
  const download = await downloadAfter(page, () => page.getByRole('button', { name: 'Continue' }).click());
  expectUnpacked(await download.path(), testInfo.outputPath('unpacked'));
  expect(await countDownloads(member, transfer)).toBe(1);
});

test('a save that was canceled can be started again in the same download', async ({
  member,
  visitorPage: page,
}, testInfo) => {
  const { transfer, mend } = await saveUntilCut(page, member);
  await page.getByRole('button', { name: 'Cancel' }).click();
  mend();
  await page.reload();
  await expect(page.getByText('1 / 1', { exact: true })).toBeVisible();
  const download = await downloadAfter(page, () => saveAll(page));
  expectUnpacked(await download.path(), testInfo.outputPath('unpacked'));
  expect(await countDownloads(member, transfer)).toBe(1);
  await expect(page.getByText('Download limit reached.')).toBeVisible();
});

test('an interrupted save is no longer offered while another one runs', async ({
  member,
  visitorPage: page,
}) => {
  const transfer = await send(member, {});
  await page.addInitScript(NO_PICKERS);
  await page.route(`**${zipDownloadPath(transfer.token)}`, (route) =>
    route.request().headers().range === 'bytes=0-0' ? route.continue() : route.abort('connectionreset'),
  );
  await openEncrypted(page, transfer.link);
  await saveAll(page);
  await expect(page.getByText(/Connection lost/)).toBeVisible();
  page.on('dialog', (dialog) => dialog.accept());
  await page.reload();
  await expect(page.getByText(/A save was interrupted/)).toBeVisible();
  // Discarding the interrupted save would delete the file that the other one writes.
  await saveAll(page);
  await expect(page.getByText(/Connection lost/)).toBeVisible();
  await expect(page.getByText(/A save was interrupted/)).toBeHidden();
});

test('a folder that a reload interrupts keeps its complete files and gets the others, in one download', async ({
  member,
  visitorPage: page,
}) => {
  const files = [
    { path: 'Film/first.mov', bytes: makeBytes(20 * MIB, 'first') },
    { path: 'Film/second.mov', bytes: makeBytes(30 * MIB, 'second') },
    FILES[3]!,
  ];
  const transfer = await sendEncryptedTransfer(member.client, files, { settings: { maxDownloads: 1 } });
  await page.addInitScript(PICK_PRIVATE_PLACES);
  // The page asks for 32 MiB at a time.
  let cutFrom = 32 * MIB;
  const asked: number[] = [];
  await page.route(`**${zipDownloadPath(transfer.token)}`, (route) => {
    const start = Number(/^bytes=(\d+)-/.exec(route.request().headers().range ?? '')?.[1]);
    asked.push(start);
    return start < cutFrom ? route.continue() : route.abort('connectionreset');
  });
  await openEncrypted(page, transfer.link);
  await saveAll(page);
  await expect(page.getByText(/Connection lost/)).toBeVisible();
  const saved = async () => Object.values(await hashPrivateFiles(page)).sort();
  await expect.poll(saved).toContain(transfer.files[0]!.sha256);
  page.on('dialog', (dialog) => dialog.accept());
  await page.reload();
  asked.length = 0;
  cutFrom = Number.POSITIVE_INFINITY;
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText(/^Saved \d+ files in the folder/)).toBeVisible();
  // The first file is not asked for again.
  expect(asked.filter((start) => start > 1 && start < 20 * MIB)).toEqual([]);
  expect(await saved()).toEqual(transfer.files.map(({ sha256 }) => sha256).sort());
  expect(await countDownloads(member, transfer)).toBe(1);
});

test('without room, the page offers the encrypted zip and the command that opens it', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  const { link } = await send(member);
  await page.addInitScript(NO_PICKERS + NO_ROOM + NO_SERVICE_WORKER);
  await page.addInitScript('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));');
  // Announces more than fits into memory, so that no test needs to.
  await openEncrypted(page, link);
  await page.getByText('More ways to save').click();
  const command = page.getByText(/^sendwell open FILE\.zip --link '/);
  await expect(command).toContainText(link);
  await page.getByRole('button', { name: 'Copy command' }).click();
  await expect(page.getByText(/^Your browser blocked it\./)).toBeVisible();
  const download = await downloadAfter(page, () =>
    page.getByRole('link', { name: 'Save encrypted zip' }).click(),
  );
  const names = listFiles(unzip(await download.path(), test.info().outputPath('sealed')));
  expect(names.every((name) => /^[0-9a-f]{32}$/.test(name))).toBe(true);
});

test('a service worker that ends midway is an error, and no file is called complete', {
  tag: ['@full-browser', '@all'],
}, async ({ member, visitorPage: page }) => {
  const { link, token } = await send(member);
  await page.addInitScript(NO_PICKERS + NO_ROOM);
  const released = Promise.withResolvers<void>();
  await page.route(`**${zipDownloadPath(token)}`, async (route) => {
    if (route.request().headers().range !== 'bytes=0-0') await released.promise;
    await route.continue().catch(() => undefined);
  });
  await openEncrypted(page, link);
  const download = await downloadAfter(page, () => saveAll(page));
  const session = await page.context().newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  released.resolve();
  await expect(page.getByRole('alert')).toContainText('so the saved file is not complete', {
    timeout: 40_000,
  });
  expect(await download.failure()).not.toBeNull();
});
