import type { Page } from '@playwright/test';
import { expect, test } from '../actions/fixtures.ts';
import { readDownload, writeFile } from '../actions/sample-files.ts';
import { chooseFiles, expectToast, openOptions, startUpload, waitForLink } from '../actions/uploads.ts';

test('a download limit of one allows one download and explains the refusal of the next', async ({
  browser,
  memberPage: sender,
  visitorPage: first,
  server,
}, testInfo) => {
  await sender.goto('/dashboard/upload');
  await chooseFiles(sender, writeFile(testInfo, 'ticket.txt', 'Admit one'));
  await sender.getByLabel('Title').fill('Your ticket');
  await openOptions(sender);
  await sender.getByLabel('Download limit').fill('1');
  await startUpload(sender);
  const link = await waitForLink(sender);

  const secondContext = await browser.newContext({ baseURL: server.url });
  const second = await secondContext.newPage();
  for (const page of [first, second]) {
    await page.goto(link);
    await expect(fact(page, 'Download Limit')).toHaveText('Download Limit0 / 1');
  }

  await test.step('the first gets it', async () => {
    const [download] = await Promise.all([
      first.waitForEvent('download'),
      first.getByRole('link', { name: 'ticket.txt' }).click(),
    ]);
    expect((await readDownload(download)).toString()).toBe('Admit one');
    await expect(fact(first, 'Download Limit')).toHaveText('Download Limit1 / 1');
  });

  await test.step('the second, who still saw a button, is told why not', async () => {
    await second.getByRole('button', { name: /^Download \d/ }).click();
    await expectToast(second, 'Download failed', 'This transfer has reached its download limit.');
    await expect(fact(second, 'Download Limit')).toHaveText('Download Limit1 / 1');
    await expect(second.getByText('Download limit reached.')).toBeVisible();
    await expect(second.getByRole('button', { name: /^Download \d/ })).toHaveCount(0);
    await expect(second.getByRole('link', { name: 'ticket.txt' })).toHaveCount(0);
  });

  await test.step('the sender sees it used up', async () => {
    await sender.getByRole('link', { name: 'View Transfers' }).click();
    await expect(sender.getByText('1 of 1 download', { exact: true })).toBeVisible();
    await expect(sender.getByRole('article', { name: 'Your ticket' })).toContainText('Limit reached');
  });
  await secondContext.close();
});

function fact(page: Page, name: string) {
  return page.locator('dl > div').filter({ hasText: name });
}
