import type { Page } from '@playwright/test';
import { putAd } from '../../testing/calls/ads.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { bannerOf, ELSEWHERE, holdTime, makeBanner, openTransfers, pauseIn, playIn } from '../actions/ads.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin } from '../actions/people.ts';
import { makeAnimation, makeVideo } from '../actions/sample-files.ts';

const MINUTE = 60;

const titleIn = (page: Page) => bannerOf(page).locator('p').last();
const skip = (page: Page) => bannerOf(page).getByRole('button', { name: 'Skip' });
const isStill = (page: Page) =>
  bannerOf(page)
    .locator('video')
    .evaluate((video: { paused: boolean }) => video.paused);

/**
 * Lets the page's time pass second by second. A turn begins once the page has drawn the ad and knows that it is visible,
 * so on a busy machine it may end later than its duration from now.
 */
async function passUntil(page: Page, isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await page.clock.runFor(1_000);
}

/** Returns a function that reads the titles of the ads shown since this call, without repetitions. */
async function recordTitles(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`{
    globalThis.shownTitles = [];
    const record = () => {
      // The address of the target follows in an element of its own.
      const title = [...document.querySelectorAll('[data-testid="ad-banner"] p')].at(-1)?.firstChild?.textContent;
      if (title && title !== shownTitles.at(-1)) shownTitles.push(title);
    };
    new MutationObserver(record).observe(document.body, { subtree: true, childList: true, characterData: true });
    record();
  }`);
  return () => page.evaluate('shownTitles');
}

test.describe('without reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('pictures rotate after their duration, but not while paused, hidden, out of view or hovered', {
    tag: ['@full-browser', '@all'],
  }, async ({ context, ownServer: server }) => {
    const { client } = await createAdmin(server, 'free');
    for (const [title, duration] of [
      ['Harbour tours', 7],
      ['Night ferry', 7],
    ] as const)
      await putAd(
        client,
        { type: 'image', title, duration, url: ELSEWHERE },
        { file: { bytes: await makeBanner() } },
      );
    const page = await openTransfers(context, server, { prepare: (each) => each.clock.install() });
    await expect(bannerOf(page).getByRole('img').last()).toBeVisible();
    await holdTime(page);
    const read = async () => (await titleIn(page).textContent())!;
    let shown = await read();
    const expectSame = async (seconds: number) => {
      await page.clock.runFor(seconds * 1_000);
      await expect(titleIn(page)).toHaveText(shown);
    };
    // A turn begins once the page has drawn the ad and knows that it is visible, which takes a while on a busy
    // machine. So time passes second by second, and the next ad may be up to one turn late, but never early.
    const expectNext = async (seconds: number) => {
      let passed = 0;
      await expect(async () => {
        passed += 1;
        await page.clock.runFor(1_000);
        expect(await read()).not.toBe(shown);
      }).toPass();
      expect(passed).toBeLessThanOrEqual(seconds + 7);
      shown = await read();
      await expect(bannerOf(page).getByRole('img').last()).toBeVisible();
    };
    await test.step('in turn, never the same twice', async () => {
      await expectNext(8);
      for (let turn = 0; turn < 3; turn += 1) {
        await expectSame(6);
        await expectNext(2);
      }
    });
    await test.step('not while paused; the rest of its time comes afterwards', async () => {
      await expectSame(4);
      await pauseIn(page).click();
      await expectSame(MINUTE);
      await playIn(page).click();
      await expectSame(1);
      await expectNext(3);
    });
    await test.step('not while the tab is hidden', async () => {
      const setHidden = (isHidden: boolean) =>
        page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));`);
      await setHidden(true);
      await expectSame(MINUTE);
      await setHidden(false);
      await expectNext(8);
    });
    await test.step('not while it is out of view', async () => {
      // Low enough to scroll the banner away above a list of one transfer.
      await page.setViewportSize({ width: 1280, height: 160 });
      await page.evaluate('scrollTo(0, 10_000)');
      await expect(bannerOf(page)).not.toBeInViewport({ ratio: 0.5 });
      await expectSame(MINUTE);
      await page.evaluate('scrollTo(0, 0)');
      await page.setViewportSize({ width: 1280, height: 800 });
      await expect(bannerOf(page)).toBeInViewport({ ratio: 0.9 });
      await expectNext(8);
    });
    await test.step('not while somebody is about to follow it', async () => {
      const link = bannerOf(page).getByRole('link');
      await link.hover();
      await expectSame(MINUTE);
      await page.mouse.move(0, 0);
      await expectNext(8);
      await link.focus();
      await page.keyboard.press('Tab');
      await expect(pauseIn(page)).toBeFocused();
      await page.keyboard.press('Shift+Tab');
      await expectSame(MINUTE);
    });
  });

  test('a video plays muted to its end before the next ad; Skip appears after 5 seconds', {
    tag: ['@all', '@full-browser'],
  }, async ({ context, ownServer: server }) => {
    test.slow();
    const { client } = await createAdmin(server, 'free');
    const picture = { type: 'image', title: 'Harbour tours', duration: MINUTE };
    await putAd(client, picture, { file: { bytes: await makeBanner() } });
    const film = await putAd(
      client,
      { type: 'video', title: 'The film', url: ELSEWHERE },
      { file: { bytes: await makeVideo(60), fileName: 'film.webm' } },
    );
    const page = await openTransfers(context, server, { prepare: (each) => each.clock.install() });
    await expect(bannerOf(page).locator('img, video').last()).toBeVisible();
    await holdTime(page);
    const isFilmShown = async () => (await titleIn(page).textContent())!.startsWith('The film');
    await test.step('it plays by itself, muted', async () => {
      // If it came first, it has been running since before time was stopped.
      if (await isFilmShown()) {
        await passUntil(page, () => skip(page).isVisible());
        await skip(page).press('Enter');
        await expect(titleIn(page)).toContainText('Harbour tours');
      }
      await passUntil(page, isFilmShown);
      const video = bannerOf(page).locator('video');
      await expect.poll(() => isStill(page)).toBe(false);
      expect(await video.evaluate((element: { muted: boolean }) => element.muted)).toBe(true);
      await pauseIn(page).click();
      await expect.poll(() => isStill(page)).toBe(true);
      await playIn(page).click();
      await expect.poll(() => isStill(page)).toBe(false);
    });
    await test.step('Skip', async () => {
      await page.clock.runFor(4_500);
      await expect(skip(page)).toHaveCount(0);
      await page.clock.runFor(1_000);
      await skip(page).press('Enter');
      await expect(titleIn(page)).toContainText('Harbour tours');
      await expect(skip(page)).toHaveCount(0);
      await expect(pauseIn(page)).toBeFocused();
      await page.clock.runFor(6_000);
      await expect(skip(page)).toHaveCount(0);
    });
    await test.step('its end', async () => {
      await putAd(
        client,
        { type: 'video', title: 'The film', url: ELSEWHERE },
        { id: film.id, file: { bytes: await makeVideo(2), fileName: 'film.webm' } },
      );
      await page.clock.resume();
      await page.reload();
      await expect(bannerOf(page).locator('img, video').last()).toBeVisible();
      const readTitles = await recordTitles(page);
      await holdTime(page);
      // The film runs in real time, so its two seconds may pass between two looks at the page.
      await passUntil(page, async () => (await readTitles()).includes('The film'));
      await expect
        .poll(async () => (await readTitles()).join())
        .toMatch(/^(Harbour tours,)?The film,Harbour tours$/);
    });
  });

  test('a single ad stays without Skip, and a finished video can be replayed', {
    tag: '@all',
  }, async ({ context, ownServer: server }) => {
    const { client } = await createAdmin(server, 'free');
    const film = { bytes: await makeVideo(4), fileName: 'film.webm' };
    await putAd(client, { type: 'video', title: 'The film' }, { file: film });
    const page = await openTransfers(context, server);
    await expect(playIn(page)).toBeVisible();
    await expect(bannerOf(page).getByRole('link')).toHaveCount(0);
    await playIn(page).click();
    await expect(pauseIn(page)).toBeVisible();
    await expect(playIn(page)).toBeVisible();
    await expect(skip(page)).toHaveCount(0);
  });
});

test('with reduced motion nothing moves until it is played', {
  tag: ['@all', '@full-browser'],
}, async ({ context, ownServer: server }) => {
  const { client } = await createAdmin(server, 'free');
  const film = { bytes: await makeVideo(60), fileName: 'film.webm' };
  const titles = ['The film', 'The other film'];
  for (const title of titles) await putAd(client, { type: 'video', title }, { file: film });
  const page = await openTransfers(context, server, { prepare: (each) => each.clock.install() });
  await expect(bannerOf(page).locator('video')).toBeVisible();
  await holdTime(page);
  const shown = (await titleIn(page).textContent())!.trim();
  await page.clock.runFor(300_000);
  expect(await isStill(page)).toBe(true);
  await expect(titleIn(page)).toHaveText(shown);
  await playIn(page).click();
  await expect.poll(() => isStill(page)).toBe(false);
  await skip(page).click();
  await expect(titleIn(page)).toHaveText(titles.find((title) => title !== shown)!);
});

test('with reduced motion an animated picture is still, plays on request and can be paused', {
  tag: '@all',
}, async ({ context, ownServer: server }) => {
  const { client } = await createAdmin(server, 'free');
  const bytes = await makeAnimation([1456, 180]);
  await putAd(client, { type: 'image', title: 'Harbour tours' }, { file: { bytes } });
  const page = await openTransfers(context, server);
  const picture = bannerOf(page).getByRole('img', { name: 'Harbour tours' });
  await expect(playIn(page)).toBeVisible();
  await expect(picture).toHaveCSS('opacity', '0');
  await playIn(page).click();
  await expect(picture).toHaveCSS('opacity', '1');
  await pauseIn(page).click();
  await expect(picture).toHaveCSS('opacity', '0');
  await expectAccessible(page, 'an animated ad');
});
