import type { Page } from '@playwright/test';
import { createAd, getAdFileUrl, updateAd } from '../../contracts/plans/ads.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { paint, RED } from '../../testing/uploads/background-pictures.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { confirm, openAsAdmin, row } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin } from '../actions/people.ts';
import { makeVideo } from '../actions/sample-files.ts';
import { expectToast } from '../actions/uploads.ts';

test.describe.configure({ timeout: 180_000 });

const placeOf = ({ path }: { path: string }) => `**${path.replace(/:\w+/g, '*')}`;
const dismiss = (page: Page) =>
  page.locator('[data-toast-region]').getByRole('button', { name: 'Dismiss' }).click();
const openForm = async (page: Page) => {
  await page.getByRole('button', { name: 'Create Ad' }).first().click();
  return page.getByRole('form', { name: 'Create ad' });
};

test('ads are created with a picture, previewed, changed, paused and deleted', { tag: '@all' }, async ({
  context,
  server,
}) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto(PAGES.adminAds);

  await test.step('created: duration, priority, and the file optional if a URL is given', async () => {
    const form = await openForm(page);
    const create = form.getByRole('button', { name: 'Create Ad' });
    await expect(form.getByLabel('Duration in seconds')).toHaveValue('5');
    await expect(form.getByLabel('Priority')).toHaveValue('5');
    await expect(form.getByLabel('Video type')).toHaveCount(0);
    await form.getByLabel('Duration in seconds').fill('61');
    await form.getByLabel('Priority').fill('11');
    await create.click();
    for (const mistake of [
      'Title is required',
      'An ad needs a file or an address.',
      'Please enter at most 60 seconds',
      'Please enter 1 to 10',
    ])
      await expect(form.getByText(mistake)).toBeVisible();
    await expectAccessible(page, 'creating an ad, with mistakes');
    await page.setViewportSize({ width: 1280, height: 800 });
    await form.getByLabel('Title').fill('Harbour shop');
    await form.getByLabel('Duration in seconds').fill('8');
    await form.getByLabel('Priority').fill('9');
    await form.getByLabel('Link URL').fill('https://shop.example/harbour');
    await page.getByTestId('ad-file').setInputFiles({
      name: 'harbour.png',
      mimeType: 'image/png',
      buffer: await paint(RED, { width: 1200, height: 300 }),
    });
    await expect(form.getByText('harbour.png')).toBeVisible();
    await form.getByLabel('End').fill('2099-01-01T10:00');
    await create.click();
    // Pictures are rendered by a low-priority process, which is slow on a busy machine.
    const said = page.getByText('Harbour shop is shown from now on.', { exact: true });
    await expect(said).toBeVisible({ timeout: 60_000 });
    await expectToast(page, 'Ad created');
  });

  const ad = row(page, 'Ads', 'Harbour shop');
  await test.step('listed with its picture, address, duration, priority, dates and numbers', async () => {
    for (const text of ['shop.example/harbour', '8 s', 'until Jan 1, 2099', 'Showing'])
      await expect(ad).toContainText(text);
    await expect
      .poll(() => ad.locator('img').evaluate((image) => (image as { naturalWidth?: number }).naturalWidth))
      .toBeGreaterThan(0);
    await expectAccessible(page, 'ads');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step('previewed', async () => {
    await page.getByRole('button', { name: 'Preview Harbour shop' }).click();
    const preview = page.getByRole('dialog', { name: 'Harbour shop' });
    await expect(preview.getByRole('img', { name: 'Harbour shop' })).toBeVisible();
    await expect(preview.getByRole('link', { name: 'https://shop.example/harbour' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(preview).toHaveCount(0);
  });

  await test.step('a preview that does not open says so', async () => {
    await page.route(placeOf(getAdFileUrl), (route) => route.fulfill({ status: 503 }));
    await page.route('https://shop.example/**', (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Preview Harbour shop' }).click();
    await expectToast(page, 'Error', 'Failed to open ad preview');
    await dismiss(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.unroute(placeOf(getAdFileUrl));
  });

  await test.step('changed, its file staying', async () => {
    await page.getByRole('button', { name: 'Edit Harbour shop' }).click();
    const form = page.getByRole('form', { name: 'Edit ad' });
    await expect(form.getByText('harbour.png')).toBeVisible();
    await form.getByLabel('Title').fill('Harbour shop, winter');
    await form.getByLabel('Start').fill('2098-01-01T10:00');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expectToast(page, 'Ad updated');
    await expect(ad).toContainText('Scheduled');
  });

  await test.step('paused', async () => {
    await ad.getByRole('switch').click();
    await expectToast(page, 'Ad paused');
    await expect(ad).toContainText('Paused');
    await expect(ad.getByRole('switch')).not.toBeChecked();
  });

  await test.step('deleted', async () => {
    await page.getByRole('button', { name: 'Delete Harbour shop, winter' }).click();
    await confirm(page, 'Delete ad');
    await expectToast(page, 'Ad deleted');
    await expect(ad).toHaveCount(0);
    await page.goto(`${PAGES.adminAudit}?action=ad&search=Harbour`);
    const entries = page.getByRole('table', { name: 'Audit log' }).locator('tbody').getByRole('row');
    await expect(entries).toHaveCount(4);
  });
});

test('a video ad has a video type and no duration', { tag: '@all' }, async ({ context, server }) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto(PAGES.adminAds);
  const form = await openForm(page);
  await form.getByLabel('Type', { exact: true }).selectOption('video');
  await expect(form.getByLabel('Duration in seconds')).toHaveCount(0);
  await expect(form.getByLabel('Video type')).toBeVisible();
  await form.getByLabel('Title').fill('Harbour film');
  await page.getByTestId('ad-file').setInputFiles({
    name: 'film.webm',
    mimeType: 'video/webm',
    buffer: await makeVideo(2),
  });
  await form.getByRole('button', { name: 'Create Ad' }).click();
  await expectToast(page, 'Ad created');
  await page.getByRole('button', { name: 'Preview Harbour film' }).click();
  const film = page.getByRole('dialog', { name: 'Harbour film' }).locator('video');
  await expect
    .poll(() => film.evaluate((video) => (video as { readyState?: number }).readyState))
    .toBeGreaterThan(0);
});

test('ads: errors without a sentence from the server, and the empty state', { tag: '@all' }, async ({
  context,
  server,
}) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto(PAGES.adminAds);
  await page.route(placeOf(createAd), (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  const form = await openForm(page);
  await form.getByLabel('Title').fill('By address');
  await form.getByLabel('Link URL').fill('https://shop.example/');
  await form.getByRole('button', { name: 'Create Ad' }).click();
  await expectToast(page, 'Error', 'Failed to create ad');
  await dismiss(page);
  await page.unroute(placeOf(createAd));
  await form.getByRole('button', { name: 'Create Ad' }).click();
  await expectToast(page, 'Ad created');

  await page.route(placeOf(updateAd), (route) => route.abort());
  await page.getByRole('button', { name: 'Edit By address' }).first().click();
  const edit = page.getByRole('form', { name: 'Edit ad' });
  await edit.getByLabel('Priority').fill('1');
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await expectToast(page, 'Error', 'Failed to update ad');
  await page.unroute(placeOf(updateAd));
  await dismiss(page);

  await page.goto(`${PAGES.adminAds}?edit=unknown`);
  await expectToast(page, 'Error', 'No ad selected for editing');
  await expect(page).toHaveURL(PAGES.adminAds);
});
