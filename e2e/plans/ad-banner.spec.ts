import { getAdFileUrl, listActiveAds, listAds } from '../../contracts/plans/ads.ts';
import { putAd } from '../../testing/calls/ads.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import {
  bannerOf,
  ELSEWHERE,
  makeBanner,
  measureShift,
  openTransfers,
  playIn,
  SENT,
} from '../actions/ads.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin } from '../actions/people.ts';
import { makeVideo } from '../actions/sample-files.ts';

const AD_CALLS = /\/api\/ads\//;
const FILE_CALLS = `**${getAdFileUrl.path.replace(':id', '*')}`;

test('a click opens the ad’s link in a new tab; views and clicks are counted', {
  tag: '@all',
}, async ({ context, ownServer: server }) => {
  const { client } = await createAdmin(server, 'free');
  await putAd(
    client,
    { type: 'image', title: 'Harbour tours', url: ELSEWHERE },
    { file: { bytes: await makeBanner() } },
  );
  await context.route('https://www.harbour.example/**', (route) =>
    route.fulfill({ body: '<script>document.title = opener === null</script>', contentType: 'text/html' }),
  );
  const page = await openTransfers(context, server);
  const counts = async () => {
    const [ad] = await client.call(listAds);
    return [ad!.views, ad!.clicks];
  };
  await expect.poll(counts).toEqual([1, 0]);
  const link = bannerOf(page).getByRole('link', { name: 'Harbour tours (opens in a new tab)' });
  await expect(link).toHaveAttribute('rel', 'noopener nofollow sponsored');
  const opening = context.waitForEvent('page');
  await link.click();
  const tab = await opening;
  await expect(tab).toHaveURL(ELSEWHERE);
  await expect(tab).toHaveTitle('true');
  await expect.poll(counts).toEqual([1, 1]);
  await expect(page).toHaveURL(`${server.url}/dashboard`);
});

test('pro and premium users see no ads, and the page does not request any', { tag: '@all' }, async ({
  context,
  ownServer: server,
}) => {
  const { client } = await createAdmin(server, 'free');
  await putAd(client, { type: 'image', title: 'Harbour tours' }, { file: { bytes: await makeBanner() } });
  for (const tier of ['pro', 'premium'] as const) {
    const asked: string[] = [];
    const page = await openTransfers(context, server, {
      tier,
      prepare: async (each) => {
        each.on('request', (request) => asked.push(request.url()));
      },
    });
    await expect(page.getByRole('heading', { name: SENT })).toBeVisible();
    await expect(bannerOf(page)).toHaveCount(0);
    expect(
      asked.filter((url) => AD_CALLS.test(url)),
      tier,
    ).toEqual([]);
    await page.close();
  }
});

test('an ad whose file has no URL falls back to its own URL, then to its text, and logs it', {
  tag: '@all',
}, async ({ context, ownServer: server }) => {
  const { client } = await createAdmin(server, 'free');
  const url = 'https://www.harbour.example/wide.png';
  await putAd(
    client,
    { type: 'image', title: 'Harbour tours', url },
    { file: { bytes: await makeBanner() } },
  );
  await context.route(FILE_CALLS, (route) => route.fulfill({ status: 503, body: 'Busy for a moment.' }));
  const picture = await makeBanner();
  await context.route(url, (route) => route.fulfill({ body: picture, contentType: 'image/png' }));
  const logged: string[] = [];
  const page = await openTransfers(context, server, {
    prepare: async (each) => {
      each.on('console', (message) => logged.push(message.text()));
    },
  });
  const image = bannerOf(page).getByRole('img', { name: 'Harbour tours' });
  await expect(image).toHaveAttribute('src', url);
  await expect
    .poll(() => image.evaluate((element: { naturalWidth: number }) => element.naturalWidth))
    .toBe(1456);
  expect(logged.join('\n')).toContain('Could not get the URL of an ad’s file');
  await expect(page.locator('[data-toast-region] > li')).toHaveCount(0);

  await context.unroute(url);
  await context.route(url, (route) => route.abort());
  await page.reload();
  await expect(bannerOf(page).getByRole('link')).toHaveText(/^Harbour tours\s*harbour\.example/);
  await expect(bannerOf(page).getByRole('img')).toHaveCount(0);
  await expectAccessible(page, 'an ad’s words');
});

test('a file that browsers cannot show falls back to the ad’s own URL', {
  tag: '@all',
}, async ({ context, ownServer: server }) => {
  const { client } = await createAdmin(server, 'free');
  const url = 'https://www.harbour.example/wide.png';
  const picture = await makeBanner();
  await putAd(client, { type: 'image', title: 'Harbour tours', url }, { file: { bytes: picture } });
  await context.route('**/api/ad-files/**', (route) => route.fulfill({ status: 410, body: 'gone' }));
  await context.route(url, (route) => route.fulfill({ body: picture, contentType: 'image/png' }));
  const page = await openTransfers(context, server);
  await expect(bannerOf(page).getByRole('img')).toHaveAttribute('src', url);
});

test('the banner’s space is reserved, so nothing moves with or without ads', {
  tag: '@all',
}, async ({ context, ownServer: server }) => {
  const { client } = await createAdmin(server, 'free');
  for (const width of [1280, 390]) {
    for (const hasAds of [true, false]) {
      const page = await openTransfers(context, server, {
        prepare: async (each) => {
          await each.setViewportSize({ width, height: 844 });
          // A font that arrives late moves the ends of lines.
          await each.route('**/*.woff2', (route) => route.abort());
          await each.route(`**${listActiveAds.path}`, async (route) => {
            await each.waitForSelector('[data-testid="placeholder"]');
            await (hasAds ? route.continue() : route.fulfill({ json: [] }));
          });
        },
      });
      if (hasAds && width === 1280) {
        await putAd(
          client,
          { type: 'image', title: 'Harbour tours' },
          { file: { bytes: await makeBanner() } },
        );
        await page.reload();
      }
      await expect(page.getByRole('heading', { name: SENT })).toBeVisible();
      await expect(bannerOf(page).getByRole('img')).toHaveCount(hasAds ? 1 : 0);
      expect(await measureShift(page), `${width}, ${hasAds}`).toBe(0);
      await page.close();
    }
  }
});

test('transfers are shown without waiting for ads', {
  tag: ['@all', '@full-browser'],
}, async ({ context, ownServer: server }) => {
  const asked = Promise.withResolvers<void>();
  const page = await openTransfers(context, server, {
    prepare: async (each) => {
      await each.clock.install();
      await each.route(`**${listActiveAds.path}`, () => asked.resolve());
    },
  });
  await asked.promise;
  await expect(page.getByTestId('placeholder')).toHaveCount(3);
  await page.clock.runFor(3_100);
  await expect(page.getByRole('heading', { name: SENT })).toBeVisible();
  await expect(bannerOf(page)).toHaveCount(0);
});

test('picture and video ads are accessible in both themes, wide and narrow', {
  tag: '@all',
}, async ({ context, ownServer: server }) => {
  test.slow();
  const { client } = await createAdmin(server, 'free');
  const { id } = await putAd(
    client,
    { type: 'image', title: 'Harbour tours, every day from the old pier, with a long title', url: ELSEWHERE },
    { file: { bytes: await makeBanner() } },
  );
  const page = await openTransfers(context, server);
  await expect(page.getByRole('region', { name: 'Advertisement' }).getByRole('img')).toHaveCount(1);
  await expectAccessible(page, 'a picture');
  await putAd(
    client,
    { type: 'video', title: 'The film', url: ELSEWHERE },
    { id, file: { bytes: await makeVideo(3), fileName: 'film.webm' } },
  );
  await page.reload();
  await expect(playIn(page)).toBeVisible();
  await expectAccessible(page, 'a film');
  await page.getByRole('link', { name: 'New Upload' }).focus();
  await page.keyboard.press('Tab');
  await expect(bannerOf(page).getByRole('link')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(playIn(page)).toBeFocused();
});
