import { sharePath } from '../../contracts/values/addresses/links.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { chosenButton, downloadAfter, row, selectAll, tick } from '../actions/downloads.ts';
import { expect, test } from '../actions/fixtures.ts';
import { readDownload } from '../actions/sample-files.ts';
import { seedFiles } from '../actions/transfers.ts';

test('5,000 files can be opened, scrolled, filtered and selected', {
  tag: ['@all', '@full-browser'],
}, async ({ server, member, visitorPage: page }) => {
  const { id, token } = await sendTransfer(member.client, [
    { fileName: 'the end.txt', bytes: Buffer.from('x') },
  ]);
  seedFiles(server, id, 4_999);
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET fileCount = 5000, totalBytes = 5000 WHERE id = ?').run(id),
  );
  await page.goto(sharePath(token));
  const list = page.getByRole('region', { name: 'Files' });
  const lines = list.getByRole('listitem');
  await expect(row(page, 'file-00001.bin')).toBeVisible();

  await test.step('only those in view are drawn, and each says its place', async () => {
    expect(await lines.count()).toBeLessThan(60);
    await expect(lines.first()).toHaveAttribute('aria-setsize', '5000');
    await expect(lines.first()).toHaveAttribute('aria-posinset', '1');
  });

  await test.step('the keyboard reaches the end', async () => {
    await list.focus();
    await page.keyboard.press('End');
    await expect(row(page, 'the end.txt')).toBeVisible();
    await expect(lines.last()).toHaveAttribute('aria-posinset', '5000');
  });

  await test.step('what has the focus stays when it is scrolled away', async () => {
    await tick(page, 'the end.txt').focus();
    await list.evaluate((element) => element.scrollTo({ top: 0 }));
    await expect(row(page, 'file-00001.bin')).toBeVisible();
    await expect(tick(page, 'the end.txt')).toBeFocused();
  });

  await test.step('a filter leaves the few that were meant', async () => {
    await page.getByLabel('Filter files').fill('0420');
    await expect(page.getByText('11 files shown')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all shown' }).check();
    await page.getByLabel('Filter files').fill('');
    await expect(chosenButton(page)).toHaveText('Download 11 files (11 B)');
  });

  await test.step('thousands of them fit the address of one zip', async () => {
    await selectAll(page).click();
    await tick(page, 'file-00002.bin').uncheck();
    await expect(chosenButton(page)).toHaveText('Download 4,999 files (4.9 KB)');
    const download = await downloadAfter(page, () => chosenButton(page).click());
    expect(download.url().length).toBeLessThan(1_100);
    expect((await readDownload(download)).subarray(0, 2).toString()).toBe('PK');
  });
});
