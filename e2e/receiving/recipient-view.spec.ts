import type { Page } from '@playwright/test';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { makePdfOfPages } from '../../testing/uploads/hostile-files.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { downloadAfter, openFiles, sendPictures } from '../actions/downloads.ts';
import { expect, test } from '../actions/fixtures.ts';
import { openOptions } from '../actions/uploads.ts';

const FILES = [
  { fileName: 'rushes.bin', bytes: Buffer.alloc(3, 7) },
  { fileName: 'notes.txt', bytes: Buffer.from('take two') },
];
const PHONE = { width: 390, height: 844 };

test('a phone shows sender, message, files and the button without scrolling', async ({
  member,
  visitorPage: page,
}) => {
  await page.setViewportSize(PHONE);
  const message = 'Here is the final set.\n\nPlease tell me by Friday which three you want for the cover.';
  const { token } = await sendTransfer(member.client, FILES, { message });
  await page.goto(sharePath(token));
  await expect(page.getByRole('heading', { name: 'rushes.bin + 1' })).toBeVisible();
  await expect(page.getByText(`${member.name} sent you 2 files · 11 B`)).toBeInViewport();
  await expect(page.getByText('Here is the final set.')).toBeInViewport();
  const button = page.getByRole('button', { name: 'Download All Files' });
  await expect(button).toBeInViewport({ ratio: 1 });
  const top = (await button.boundingBox())!.y;
  for (const { fileName } of FILES) {
    const { y, height } = (await page.getByRole('link', { name: `Download ${fileName}` }).boundingBox())!;
    expect(y + height, fileName).toBeLessThan(top);
  }
  const messageBox = (await page.getByText('Message from sender').boundingBox())!;
  const filesBox = (await page.getByRole('heading', { name: 'Files', exact: true }).boundingBox())!;
  expect(messageBox.y).toBeLessThan(filesBox.y);
  await page.getByText('More ways to download').click();
  await expectAccessible(page, 'an untitled transfer with everything unfolded');
});

test('a click on a row uses up no download; only the icon does', async ({ member, visitorPage: page }) => {
  const { id, token } = await sendTransfer(member.client, FILES, { maxDownloads: 1 });
  const countDownloads = async () =>
    (await member.client.call(getTransfer, { params: { id } })).downloadCount;
  await page.goto(sharePath(token));
  const row = page.getByRole('listitem').filter({ hasText: 'rushes.bin' });
  for (const x of [180, 400]) {
    await row.click({ position: { x, y: 20 } });
    await expect(page.getByRole('dialog', { name: 'File details' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  expect(await countDownloads()).toBe(0);
  const download = await downloadAfter(page, () =>
    page.getByRole('link', { name: 'Download rushes.bin' }).click(),
  );
  expect(download.suggestedFilename()).toBe('rushes.bin');
  await expect(page.getByText('Download limit reached.')).toBeVisible();
  expect(await countDownloads()).toBe(1);
  // The details stay open to everybody with the link.
  await row.click({ position: { x: 100, y: 20 } });
  await expect(page.getByRole('dialog', { name: 'File details' })).toBeVisible();
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Download' })).toHaveCount(0);
});

test('long names keep their extension, and names in other directions do not mix with the page', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  const long = `${'a-name-without-any-end-'.repeat(6)}final.bin`;
  await page.setViewportSize(PHONE);
  const files = [{ fileName: long, bytes: Buffer.from('1') }, ...FILES];
  const { token } = await sendTransfer(member.client, files, { title: 'תמונות', message: 'שלום (a).' });
  await page.goto(sharePath(token));
  const tail = page.getByText('-final.bin', { exact: true });
  await expect(tail).toBeVisible();
  const { x, width } = (await tail.boundingBox())!;
  expect(x + width).toBeLessThanOrEqual(PHONE.width);
  await expect(page.getByRole('button', { name: `Details of ${long}` })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 }).locator('bdi')).toHaveText('תמונות');
  await expect(page.getByRole('blockquote')).toHaveCSS('direction', 'rtl');
  await expectAccessible(page, 'long names');
});

test.describe('previews', () => {
  test.use({ tier: 'pro' });

  test('a transfer of photos opens as a gallery', { tag: '@all' }, async ({ member, visitorPage: page }) => {
    const { token } = await sendPictures(member);
    await page.goto(sharePath(token));
    await expect(page.getByRole('button', { name: 'Gallery' })).toHaveAttribute('aria-pressed', 'true');
    const tiles = page.getByRole('list', { name: 'Files' });
    await tiles.getByRole('button', { name: 'Preview coast.jpg' }).click();
    await expect(page.getByRole('dialog', { name: 'coast.jpg' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'List' }).click();
    await expect(page.getByRole('link', { name: 'Download coast.jpg' })).toBeVisible();
  });

  test('all pages of a PDF can be read in the preview', { tag: '@all' }, async ({
    member,
    visitorPage: page,
  }) => {
    const boxes = ['[0 0 300 200]', '[0 0 200 300]', '[0 0 300 200]', '[0 0 300 200]', '[0 0 300 200]'];
    await openFiles(page, member, [{ fileName: 'plan.pdf', bytes: makePdfOfPages(boxes) }]);
    await page.getByRole('button', { name: 'Preview plan.pdf' }).click();
    const pages = page.getByTestId('lightbox-pages').getByRole('listitem');
    await expect(pages).toHaveCount(5);
    for (const number of [2, 5]) {
      const picture = page.getByRole('img', { name: `Page ${number} of 5` });
      await picture.scrollIntoViewIfNeeded();
      await expect.poll(() => loadedHeight(page, number), { timeout: 30_000 }).toBeGreaterThan(0);
    }
    await expect(page.getByText('This is the first page')).toHaveCount(0);
    const before = (await pages.first().boundingBox())!.width;
    await page.keyboard.press('+');
    await expect.poll(async () => (await pages.first().boundingBox())!.width).toBeCloseTo(before * 1.5, 0);
    await expectAccessible(page, 'the pages of a PDF');
  });

  test('with a download limit a PDF shows its first page only, and the sender was told', {
    tag: '@all',
  }, async ({ member, memberPage, visitorPage: page }) => {
    const files = [{ fileName: 'plan.pdf', bytes: makePdfOfPages(['[0 0 300 200]', '[0 0 300 200]']) }];
    const { id, token } = await sendTransfer(member.client, files, { maxDownloads: 2 });
    const hasPreview = async () =>
      (await member.client.call(getTransfer, { params: { id } })).files[0]!.thumbnail;
    await expect.poll(hasPreview, { timeout: 45_000 }).toBe(true);
    await page.goto(sharePath(token));
    await page.getByRole('button', { name: 'Preview plan.pdf' }).click();
    await expect(
      page.getByText('This is the first page. Download the file to read all of it.'),
    ).toBeVisible();
    await expect(page.getByTestId('lightbox-pages').getByRole('listitem')).toHaveCount(1);
    const hint = /recipients can preview only pictures and the first page of PDFs/;
    await memberPage.goto(`/dashboard/transfer/${id}`);
    await expect(memberPage.getByText(hint)).toBeVisible();
    await memberPage.goto('/dashboard/upload');
    await expect(memberPage.getByText(hint)).toHaveCount(0);
    await openOptions(memberPage);
    await memberPage.getByLabel('Download limit').fill('3');
    await expect(memberPage.getByText(hint)).toBeVisible();
  });
});

/** Natural height in pixels; 0 until it has loaded. */
function loadedHeight(page: Page, number: number): Promise<number> {
  return page
    .getByRole('img', { name: `Page ${number} of 5` })
    .evaluate((image: { naturalHeight: number }) => image.naturalHeight);
}
