import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { makePicture } from '../actions/sample-files.ts';
import { seedFiles } from '../actions/transfers.ts';

test.use({ tier: 'pro' });

test('the gallery renders only files near the viewport', { tag: '@all' }, async ({
  server,
  member,
  visitorPage: page,
}) => {
  const { id, token } = await sendTransfer(member.client, [
    { fileName: 'aaa first.jpg', bytes: await makePicture('jpeg', [900, 600], 200) },
  ]);
  const hasThumbnail = async () => {
    const { files } = await member.client.call(getTransfer, { params: { id } });
    return files[0]!.thumbnail;
  };
  await expect.poll(hasThumbnail, { timeout: 45_000 }).toBe(true);
  seedFiles(server, id, 1_000);

  await page.goto(`/download/${token}`);
  await page.getByRole('button', { name: 'Gallery' }).click();
  await expect(page.getByRole('button', { name: 'Gallery' })).toHaveAttribute('aria-pressed', 'true');
  const tiles = page.getByRole('list', { name: 'Files' }).getByRole('listitem');
  const first = tiles.filter({ hasText: 'aaa first.jpg' });
  await expect(first).toHaveAttribute('aria-setsize', '1001');
  await expect
    .poll(() => first.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth))
    .toBe(480);
  expect(await tiles.count()).toBeLessThan(100);

  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  await expect(tiles.filter({ hasText: 'file-01000.bin' })).toBeInViewport();
  await expect(first).toHaveCount(0);
  expect(await tiles.count()).toBeLessThan(100);

  await page.evaluate('window.scrollTo(0, 0)');
  await first.getByRole('button', { name: 'aaa first.jpg' }).click();
  await expect(page.getByRole('dialog', { name: 'aaa first.jpg' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(first.getByRole('button', { name: 'aaa first.jpg' })).toBeFocused();
});

test('a small gallery is accessible in both themes, wide and narrow', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { id, token } = await sendTransfer(member.client, [
    { fileName: 'one.jpg', bytes: await makePicture('jpeg', [900, 600], 200) },
    { fileName: 'notes.bin', bytes: Buffer.from([0, 1, 2]) },
  ]);
  const countThumbnails = async () => {
    const { files } = await member.client.call(getTransfer, { params: { id } });
    return files.filter(({ thumbnail }) => thumbnail).length;
  };
  await expect.poll(countThumbnails, { timeout: 45_000 }).toBe(1);
  await page.goto(`/download/${token}`);
  await page.getByRole('button', { name: 'Gallery' }).click();
  await expect(page.getByRole('list', { name: 'Files' }).getByRole('listitem')).toHaveCount(2);
  await expectAccessible(page, 'gallery');
});
