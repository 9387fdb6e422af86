import type { Page } from '@playwright/test';
import { fileDownloadPath, sharePath } from '../../contracts/values/addresses/links.ts';
import { PAGES, SHARE_TARGET_PATH } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expect, test } from '../actions/fixtures.ts';
import { fillSignIn, PASSWORD } from '../actions/people.ts';
import { writeFile } from '../actions/sample-files.ts';
import { chooseFiles, expectToast, startUpload, waitForLink } from '../actions/uploads.ts';

test.use({ serviceWorkers: 'allow' });

test('files that another app shares survive signing in and reach the upload page', async ({
  member,
  memberPage: page,
}) => {
  await openControlled(page);
  await page.context().clearCookies();
  await share(page, { 'pier.jpg': 'a picture', 'harbour.jpg': 'another one' });
  await expect(page).toHaveURL(/\/auth/);
  await fillSignIn(page, member.username, PASSWORD);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page).toHaveURL(PAGES.upload);
  await expect(page.getByTestId('total-size')).toContainText('2 files');
  await startUpload(page);
  await page.goto(await waitForLink(page));
  for (const name of ['pier.jpg', 'harbour.jpg'])
    await expect(page.getByRole('link', { name: `Download ${name}` })).toBeVisible();
});

test('files that the browser cannot keep are explained', { tag: '@all' }, async ({ memberPage: page }) => {
  await page.goto(`${PAGES.upload}?share=failed`);
  await expectToast(page, "The shared files didn't arrive");
});

test('the service worker leaves every other request alone', async ({ member, memberPage: page }) => {
  const { token, fileIds } = await sendTransfer(member.client, [
    { fileName: 'pier.txt', bytes: Buffer.from('0123456789') },
  ]);
  await openControlled(page);
  const served: string[] = [];
  page.on('response', (response) => {
    if (response.fromServiceWorker()) served.push(response.url());
  });
  await page.goto(sharePath(token));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const part =
    await page.evaluate(`fetch('${fileDownloadPath(token, fileIds[0]!)}', { headers: { range: 'bytes=2-4' } })
    .then(async (answer) => [answer.status, await answer.text()])`);
  expect(part).toEqual([206, '234']);
  expect(served).toEqual([]);
  expect(await page.evaluate('caches.keys()')).toEqual([]);
});

test(
  'a notification tells the end of an upload if the tab is hidden',
  { tag: ['@full-browser', '@all'] },
  async ({ memberPage: page }, testInfo) => {
    await page.context().grantPermissions(['notifications']);
    await openControlled(page);
    await page.goto(PAGES.settingsDevice);
    await page.getByRole('switch', { name: 'Tell me when an upload ends' }).check();
    await page.goto(PAGES.upload);
    await chooseFiles(page, writeFile(testInfo, 'letter.txt', 'Dear Vera'));
    await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })");
    await startUpload(page);
    await waitForLink(page);
    await expect.poll(() => listNotifications(page)).toEqual(['Upload successful!: 1 file sent.']);
  },
);

test('a notification tells the first download', { tag: ['@all', '@full-browser'] }, async ({
  member,
  memberPage: page,
  server,
}) => {
  const { token, fileIds } = await sendTransfer(
    member.client,
    [{ fileName: 'pier.txt', bytes: Buffer.from('pier') }],
    { title: 'Harbour' },
  );
  await page.context().grantPermissions(['notifications']);
  await openControlled(page);
  await page.evaluate("localStorage.setItem('notify-first-download', 'on')");
  await page.clock.install();
  const isRead = page.waitForResponse(
    (response) =>
      response.url().includes('/api/transfers?limit=50&') ||
      response.url().endsWith('/api/transfers?limit=50'),
  );
  await page.goto(PAGES.settings);
  await isRead;
  await server.anonymous().fetch(fileDownloadPath(token, fileIds[0]!));
  // Repeated, because the page may not have handled the first answer yet.
  const later = async () => {
    await page.clock.runFor(60_000);
    return listNotifications(page);
  };
  await expect.poll(later).toEqual(['First download: “Harbour” was downloaded for the first time.']);
});

/** Opens a page that the service worker controls. */
async function openControlled(page: Page): Promise<void> {
  await page.goto(PAGES.dashboard);
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
}

/** Submits the request that the system sends for the installed app. */
async function share(page: Page, files: Record<string, string>): Promise<void> {
  await page.evaluate(
    `(() => {
      const form = Object.assign(document.createElement('form'), {
        method: 'post', enctype: 'multipart/form-data', action: '${SHARE_TARGET_PATH}',
      });
      const input = Object.assign(document.createElement('input'), { type: 'file', name: 'files', multiple: true });
      const transfer = new DataTransfer();
      for (const [name, text] of Object.entries(${JSON.stringify(files)}))
        transfer.items.add(new File([text], name, { type: 'image/jpeg' }));
      input.files = transfer.files;
      form.append(input);
      document.body.append(form);
      form.submit();
    })()`,
  );
}

async function listNotifications(page: Page): Promise<string[]> {
  return page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((shown) => shown.map(({ title, body }) => title + ': ' + body))`);
}
