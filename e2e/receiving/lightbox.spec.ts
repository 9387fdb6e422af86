import type { Page } from '@playwright/test';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible, finishTransitions } from '../actions/accessibility.ts';
import { expectShown, openFiles, sendPictures, touchOn } from '../actions/downloads.ts';
import { expect, test } from '../actions/fixtures.ts';
import { makePicture, makeVideo } from '../actions/sample-files.ts';

test.use({ tier: 'pro' });

const KEYBOARD_ORDER = ['coast.jpg', 'forest.png', 'harbour.jpg', 'meadow.webp'];

test('a recipient pages through pictures by keyboard and buttons, and the focus returns to the row', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  const { token } = await sendPictures(member);
  const asked = watchPreviews(page);
  await page.goto(`/download/${token}`);
  const line = page.getByRole('button', { name: 'Preview forest.png' });
  await line.focus();
  await page.keyboard.press('Enter');
  const lightbox = page.getByRole('dialog', { name: 'forest.png' });
  await expect(lightbox).toBeVisible();
  await expect(lightbox).toBeFocused();
  await expect(lightbox).toHaveAccessibleDescription(/^2 of 4 · \d/);
  await expectShown(page, 'forest.png');
  // Only its neighbors were loaded meanwhile.
  await expect.poll(() => new Set(asked).size).toBe(3);

  await page.keyboard.press('ArrowRight');
  await expectShown(page, 'harbour.jpg');
  await expect(page.getByRole('status').filter({ hasText: 'harbour.jpg, 3 of 4' })).toBeAttached();
  await page.keyboard.press('End');
  await expectShown(page, 'meadow.webp');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'Next' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Home');
  await expectShown(page, 'coast.jpg');
  await page.getByRole('button', { name: 'Next' }).click();
  await expectShown(page, 'forest.png');
  await page
    .getByRole('navigation', { name: 'All files' })
    .getByRole('button', { name: 'harbour.jpg' })
    .click();
  await expectShown(page, 'harbour.jpg');
  // Tab stays within the dialog.
  for (let presses = 0; presses < 9; presses += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(line).toBeFocused();
});

test('a picture is zoomed by keys, buttons and double click, and panned', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendPictures(member);
  await page.goto(`/download/${token}`);
  await page.getByRole('button', { name: 'Preview harbour.jpg' }).click();
  await expectShown(page, 'harbour.jpg');
  const zoom = page.getByRole('status', { name: 'Zoom' });
  await page.keyboard.press('+');
  await expect(zoom).toHaveText('150%');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(zoom).toHaveText('225%');
  await page.keyboard.press('-');
  await page.keyboard.press('-');
  await expect(zoom).toHaveText('100%');

  const picture = page.getByTestId('lightbox-picture');
  // While it shrinks, the spot would be outside of the stage.
  await finishTransitions(page);
  const fitted = (await picture.boundingBox())!;
  const spot = { x: fitted.x + fitted.width / 4, y: fitted.y + fitted.height / 4 };
  await doubleClick(page, spot);
  await expect(zoom).toHaveText('250%');
  await expect.poll(async () => (await picture.boundingBox())!.width).toBeCloseTo(fitted.width * 2.5, 0);
  const enlarged = (await picture.boundingBox())!;
  // The point under the pointer stays in place.
  expect((spot.x - enlarged.x) / enlarged.width).toBeCloseTo(0.25, 1);
  await page.mouse.move(spot.x, spot.y);
  await page.mouse.down();
  await page.mouse.move(spot.x - 60, spot.y - 40, { steps: 4 });
  await page.mouse.up();
  const dragged = (await picture.boundingBox())!;
  expect([dragged.x - enlarged.x, dragged.y - enlarged.y].map(Math.round)).toEqual([-60, -40]);
  // The next picture starts unzoomed.
  await page.keyboard.press('ArrowRight');
  await expectShown(page, 'meadow.webp');
  await expect(zoom).toHaveText('100%');
});

test('touch gestures swipe between pictures, pinch and double-tap', { tag: '@all' }, async ({
  browser,
  server,
  member,
}) => {
  const { token } = await sendPictures(member);
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await page.goto(`/download/${token}`);
  await page.getByRole('button', { name: 'Preview coast.jpg' }).tap();
  await expectShown(page, 'coast.jpg');
  const fingers = await touchOn(page);
  // There is nothing before the first.
  await fingers.move([{ from: [80, 420], to: [330, 420] }]);
  await expectShown(page, 'coast.jpg');
  await fingers.move([{ from: [330, 420], to: [60, 430] }]);
  await expectShown(page, 'forest.png');
  // Vertical swipes do nothing.
  await fingers.move([{ from: [200, 300], to: [205, 600] }]);
  await expectShown(page, 'forest.png');

  const picture = page.getByTestId('lightbox-picture');
  const fitted = (await picture.boundingBox())!;
  await fingers.move([
    { from: [170, 420], to: [80, 420] },
    { from: [220, 420], to: [310, 420] },
  ]);
  await expect.poll(async () => (await picture.boundingBox())!.width / fitted.width).toBeGreaterThan(2);
  // A swipe pans the zoomed picture instead of paging.
  await fingers.move([{ from: [330, 420], to: [100, 420] }]);
  await expectShown(page, 'forest.png');
  await fingers.move([{ from: [195, 420], to: [195, 420] }]);
  await fingers.move([{ from: [195, 420], to: [195, 420] }]);
  await expect.poll(async () => (await picture.boundingBox())!.width / fitted.width).toBeCloseTo(1, 1);
  await fingers.move([{ from: [330, 420], to: [60, 420] }]);
  await expectShown(page, 'harbour.jpg');
  await context.close();
});

test('Back closes the lightbox and keeps the page’s position, however far it was paged', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  const { token } = await sendPictures(member);
  await page.goto('/pricing');
  await page.goto(`/download/${token}`);
  const line = page.getByRole('button', { name: 'Preview coast.jpg' });
  await line.click();
  await expectShown(page, 'coast.jpg');
  await page.keyboard.press('ArrowRight');
  await expectShown(page, 'forest.png');
  await page.goBack();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(`/download/${token}`);
  await expect(line).toBeFocused();

  await test.step('closed in another way, it leaves no step behind', async () => {
    await line.click();
    await expectShown(page, 'coast.jpg');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.goBack();
    await expect(page).toHaveURL('/pricing');
  });
});

test('a preview that fails to load still offers the download and can be retried', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  const { token } = await sendPictures(member);
  await page.route('**/preview/*', (route) => route.abort());
  await page.goto(`/download/${token}`);
  await page.getByRole('button', { name: 'Preview coast.jpg' }).click();
  const lightbox = page.getByRole('dialog', { name: 'coast.jpg' });
  await expect(lightbox.getByRole('status').filter({ hasText: 'No preview to show' })).toBeVisible();
  const failure = lightbox.getByTestId('lightbox-stage').getByRole('button', { name: 'Download' });
  const [download] = await Promise.all([page.waitForEvent('download'), failure.click()]);
  expect(download.suggestedFilename()).toBe('coast.jpg');
  await page.unroute('**/preview/*');
  await lightbox.getByRole('button', { name: 'Try again' }).click();
  await expectShown(page, 'coast.jpg');
});

test('the sender can preview the files of a transfer', { tag: '@all' }, async ({
  member,
  memberPage: page,
}) => {
  const { id } = await sendPictures(member);
  await page.goto(`/dashboard/transfer/${id}`);
  const files = page.getByRole('list', { name: 'Files' });
  await expect(files.locator('img')).toHaveCount(4);
  await files.getByRole('button', { name: 'Preview coast.jpg' }).click();
  for (const name of KEYBOARD_ORDER) {
    await expectShown(page, name);
    await page.keyboard.press('ArrowRight');
  }
});

test('the lightbox is accessible for a picture, a text and a failure, in both themes, wide and narrow', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  test.slow();
  await openFiles(page, member, [
    { fileName: 'coast.jpg', bytes: await makePicture('jpeg', [800, 600], 200) },
    { fileName: 'notes.txt', bytes: Buffer.from('Two lines\nof text') },
    { fileName: 'walk.webm', bytes: await makeVideo(2) },
  ]);
  await page.getByRole('button', { name: 'Preview coast.jpg' }).click();
  await expectShown(page, 'coast.jpg');
  await expectAccessible(page, 'a picture');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('region', { name: 'notes.txt' })).toBeVisible();
  await expectAccessible(page, 'a text');
  await page.route('**/preview/*', (route) => route.abort());
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('status').filter({ hasText: 'No preview to show' })).toBeVisible();
  await expectAccessible(page, 'no preview');
});

test.describe('a sender on free', () => {
  test.use({ tier: 'free' });

  test('offers no previews', { tag: '@all' }, async ({ member, memberPage, visitorPage: page }) => {
    const bytes = await makePicture('jpeg', [600, 400], 200);
    const { id, token } = await sendTransfer(member.client, [
      { fileName: 'one.jpg', bytes },
      { fileName: 'two.jpg', bytes },
    ]);
    await page.goto(`/download/${token}`);
    await expect(page.getByRole('link', { name: 'Download one.jpg' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Preview' })).toHaveCount(0);
    await memberPage.goto(`/dashboard/transfer/${id}`);
    await expect(memberPage.getByText('one.jpg', { exact: true })).toBeVisible();
    await expect(memberPage.getByRole('button', { name: 'Preview' })).toHaveCount(0);
  });
});

/** URLs of the large pictures that the page requested. */
function watchPreviews(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/preview/')) asked.push(request.url());
  });
  return asked;
}

/** Two clicks 100 ms apart in the times of their events, also on a busy machine. */
async function doubleClick(page: Page, { x, y }: { x: number; y: number }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const start = Date.now() / 1000;
  const send = (type: 'mouseMoved' | 'mousePressed' | 'mouseReleased', clickCount: number) =>
    session.send('Input.dispatchMouseEvent', {
      type,
      x,
      y,
      clickCount,
      button: type === 'mouseMoved' ? 'none' : 'left',
      timestamp: start + clickCount / 10,
    });
  await send('mouseMoved', 0);
  for (const click of [1, 2]) {
    await send('mousePressed', click);
    await send('mouseReleased', click);
  }
  await session.detach();
}
