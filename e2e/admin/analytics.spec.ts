import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { getAnalytics } from '../../contracts/analytics.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { PAGES, transferAnalyticsPage, transferPage } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { seedOldViews, seedVisits } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import type { Member } from '../actions/people.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

const FILES = [
  { fileName: 'film.mov', bytes: Buffer.from('film') },
  { fileName: 'poster.png', bytes: Buffer.from('poster') },
];
const REPORTS = `**${getAnalytics.path}?*`;

/** 9 views and 4 downloads, 3 of them complete, within a week; one view on an earlier day. */
async function sendVisited(server: JourneyServer, member: Member) {
  const sent = await sendTransfer(member.client, FILES, { title: 'Wedding film' });
  seedVisits(server, sent.id, [
    { from: 'DE', daysAgo: 2, views: 6, downloads: 3, completed: 2, referer: 'https://news.example/today' },
    { from: 'US', daysAgo: 3, views: 2, downloads: 1, device: 'phone' },
    { from: 'nowhere', daysAgo: 3, views: 1 },
    { from: 'US', daysAgo: 20, views: 1 },
  ]);
  return sent;
}

const total = (page: Page, label: string) =>
  page
    .getByRole('term')
    .filter({ hasText: new RegExp(`^${label}$`) })
    .locator('xpath=..')
    .getByRole('definition');
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test.describe('over all transfers', () => {
  test.use({ tier: 'pro' });

  test('the sidebar leads to the last 30 days', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    const { id } = await sendVisited(server, member);
    await page.goto(PAGES.dashboard);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Analytics' }).click();
    await expect(page).toHaveURL(PAGES.analytics);
    await expect(page).toHaveTitle('Analytics · Sendwell');
    await expect(total(page, 'Views')).toHaveText('10');
    await expect(total(page, 'Downloads')).toHaveText('4');
    await expect(total(page, 'Completed downloads')).toHaveText('3');
    await expect(total(page, 'Completion rate')).toHaveText('75%');
    await expect(row(page, 'news.example/today')).toContainText('6');
    await expect(row(page, 'Direct or unknown')).toContainText('4');
    await expect(row(page, 'Phone')).toContainText('21');
    await page.getByRole('link', { name: 'Wedding film' }).click();
    await expect(page).toHaveURL(transferAnalyticsPage(id));
  });

  test('the range is part of the URL, and Back restores it', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    await sendVisited(server, member);
    await page.goto(PAGES.analytics);
    const ranges = page.getByRole('navigation', { name: 'Range' });
    await expect(ranges.getByRole('link', { name: '30 days' })).toHaveAttribute('aria-current', 'true');
    await ranges.getByRole('link', { name: '7 days', exact: true }).click();
    await expect(page).toHaveURL(`${PAGES.analytics}?days=7`);
    await expect(total(page, 'Views')).toHaveText('9');
    await page.reload();
    await expect(total(page, 'Views')).toHaveText('9');
    await page.goBack();
    await expect(total(page, 'Views')).toHaveText('10');
  });

  test('longer ranges are labeled with the plan that includes them', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    await sendVisited(server, member);
    await page.goto(`${PAGES.analytics}?days=730`);
    const ranges = page.getByRole('navigation', { name: 'Range' });
    await expect(ranges.getByRole('link', { name: '90 days' })).toHaveAttribute('aria-current', 'true');
    const longer = ranges.getByRole('link', { name: '12 months Part of the Premium plan' });
    await expect(longer).toHaveAttribute('href', '/pricing');
    await expect(page.getByText('Premium shows up to 24 months. Upgrade')).toBeVisible();
  });

  test('the chart can be read bar by bar, by keyboard, by pointer and as a table', async ({
    server,
    member,
    memberPage: page,
  }) => {
    await sendVisited(server, member);
    await page.goto(`${PAGES.analytics}?days=7`);
    const slider = page.getByRole('slider', { name: 'Views and downloads by day' });
    await slider.focus();
    await expect(slider).toHaveAttribute('aria-valuetext', /: 0 views, 0 downloads$/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect(slider).toHaveAttribute('aria-valuetext', /: 6 views, 3 downloads$/);
    await expect(page.getByTestId('bucket')).toContainText('6 views3 downloads');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('bucket')).toHaveCount(0);

    const box = (await slider.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.655, box.y + box.height / 2);
    await expect(page.getByTestId('bucket')).toContainText('6 views');
    await page.mouse.move(box.x, box.y - 40);
    await expect(page.getByTestId('bucket')).toHaveCount(0);

    await page.getByText('Show as a table').click();
    const table = page.getByRole('region', { name: 'Views and downloads by day' });
    await expect(table.getByRole('row')).toHaveCount(8);
    await expect(table.getByRole('row').nth(3)).toContainText('63');
  });

  test('countries are linked between the map and the table', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    await sendVisited(server, member);
    await page.goto(PAGES.analytics);
    const countries = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Countries' }) });
    await expect(countries.getByRole('row')).toHaveText([
      /Country/,
      'Germany63',
      'United States31',
      'Unknown10',
    ]);
    await countries.getByRole('button', { name: 'United States' }).focus();
    await expect(page.getByTestId('land')).toHaveText('United States3 views, 1 download');
    await page.getByTestId('world-map').locator('[data-country="DE"]').hover();
    await expect(page.getByTestId('land')).toHaveText('Germany6 views, 3 downloads');
    await countries.getByText('Downloads', { exact: true }).first().click();
    await expect(countries.getByRole('radio', { name: 'Downloads' })).toBeChecked();
    await expect(page.getByRole('link', { name: 'IP Geolocation by DB-IP' })).toHaveAttribute(
      'href',
      'https://db-ip.com',
    );
  });

  test('Refresh loads new numbers, and Export saves them as CSV', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    const { id } = await sendVisited(server, member);
    await page.goto(`${PAGES.analytics}?days=7`);
    await expect(total(page, 'Views')).toHaveText('9');
    seedVisits(server, id, [{ from: 'DE', daysAgo: 0, views: 1 }]);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(total(page, 'Views')).toHaveText('10');

    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^analytics .*\.csv$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines).toHaveLength(8);
    expect(lines[5]).toMatch(/,6,3,2$/);
  });

  test('numbers that failed to load can be retried', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    await sendVisited(server, member);
    await page.route(REPORTS, (route) => route.abort());
    await page.goto(PAGES.analytics);
    await expect(page.getByRole('heading', { name: "The numbers couldn't be loaded" })).toBeVisible();
    await page.unroute(REPORTS);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(total(page, 'Views')).toHaveText('10');
    await page.route(REPORTS, (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(page.getByRole('alert')).toContainText('These numbers may be out of date.');
    await expect(total(page, 'Views')).toHaveText('10');
  });

  test('without visitors the page suggests what to do', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto(PAGES.analytics);
    await expect(page.getByRole('heading', { name: 'No views in the last 30 days' })).toBeVisible();
    await page.getByRole('link', { name: 'Show the last 90 days' }).click();
    await expect(page.getByRole('heading', { name: 'No views yet' })).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: 'Upload Files' }).click();
    await expect(page).toHaveURL(PAGES.upload);
  });
});

test('a transfer links to its own analytics, file by file', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  const { id, token, fileIds } = await sendVisited(server, member);
  await server.anonymous().fetch(fileDownloadPath(token, fileIds[1]!));
  await page.goto(transferPage(id));
  await page.getByRole('main').getByRole('link', { name: 'Analytics' }).click();
  await expect(page).toHaveURL(transferAnalyticsPage(id));
  await expect(page).toHaveTitle('Analytics of Wedding film · Sendwell');
  await expect(page.getByRole('heading', { name: 'Analytics of Wedding film' })).toBeVisible();
  await expect(total(page, 'Views')).toHaveText('10');
  await expect(page.getByRole('row', { name: 'film.mov 4' })).toBeVisible();
  await expect(page.getByRole('row', { name: 'poster.png 1' })).toBeVisible();
  await page.getByRole('link', { name: 'Back to the transfer' }).click();
  await expect(page).toHaveURL(transferPage(id));
});

test('premium shows two years in distinguishable bars', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  await sendVisited(server, member);
  seedOldViews(server, member, { daysAgo: 400, views: 1200 });
  await page.goto(PAGES.analytics);
  await page.getByRole('link', { name: '12 months' }).click();
  await expect(page).toHaveURL(`${PAGES.analytics}?days=365`);
  await expect(total(page, 'Views')).toHaveText('10');
  await expect(page.getByRole('slider', { name: 'Views and downloads by week' })).toBeAttached();
  await page.getByRole('link', { name: '24 months' }).click();
  await expect(total(page, 'Views')).toHaveText('1,210');
  await expect(row(page, 'Brazil')).toContainText('1,200');
  await page.setViewportSize({ width: 390, height: 844 });
  const months = page.getByRole('slider', { name: 'Views and downloads by month' });
  await expect(months).toBeAttached();
  await expect(page.getByText('Upgrade')).toHaveCount(0);
});

test('analytics of another user’s transfer are not found', { tag: '@all' }, async ({ memberPage: page }) => {
  for (const id of ['0123456789abcdefghijklmnop', 'nonsense']) {
    await page.goto(transferAnalyticsPage(id));
    await expect(page.getByRole('heading', { name: 'Transfer not found' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Back to My Transfers' })).toBeVisible();
  }
});

test.describe('without analytics in the plan', () => {
  test.use({ tier: 'free' });

  test('the page describes analytics and sends no request', { tag: '@all' }, async ({
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, FILES, {});
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/analytics?') && asked.push(request.url()));
    for (const address of [PAGES.analytics, transferAnalyticsPage(id)]) {
      await page.goto(address);
      await expect(
        page.getByRole('heading', { name: 'See what happens to the files you send' }),
      ).toBeVisible();
      await expect(page.getByRole('main').getByRole('link', { name: 'Upgrade' })).toHaveAttribute(
        'href',
        '/pricing',
      );
      await expectNoAnalyticsLink(page);
    }
    await page.goto(transferPage(id));
    await expect(page.getByRole('heading', { name: 'Download Activity' })).toBeVisible();
    await expectNoAnalyticsLink(page);
    expect(asked).toEqual([]);
  });
});

async function expectNoAnalyticsLink(page: Page): Promise<void> {
  await expect(page.getByRole('link', { name: 'Analytics' })).toHaveCount(0);
}

test('a plan that ended in another window shows the upgrade offer here', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  await sendVisited(server, member);
  await page.goto(PAGES.analytics);
  await expect(total(page, 'Views')).toHaveText('10');
  server.withDatabase((database) =>
    database.prepare("UPDATE users SET tier = 'free' WHERE username = ?").run(member.username),
  );
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('heading', { name: 'See what happens to the files you send' })).toBeVisible();
});

test.describe('accessibility', () => {
  test.describe.configure({ timeout: 240_000 });
  test.use({ tier: 'pro' });

  test('covers the numbers, their placeholders and the links to them', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    await page.goto(PAGES.analytics);
    await expect(page.getByRole('heading', { name: /^No views/ })).toBeVisible();
    await expectAccessible(page, 'analytics without visitors');
    await sendVisited(server, member);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(page.getByTestId('world-map')).toBeVisible();
    await page.getByText('Show as a table').click();
    await page.getByRole('button', { name: 'Germany' }).focus();
    await expectAccessible(page, 'analytics');
  });

  test.describe('of the invitation', () => {
    test.use({ tier: 'free' });

    test('holds as well', { tag: '@all' }, async ({ memberPage: page }) => {
      await page.goto(PAGES.analytics);
      await expect(page.getByRole('main').getByRole('link', { name: 'Upgrade' })).toBeVisible();
      await expectAccessible(page, 'the invitation to analytics');
    });
  });
});
