import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { transferPage } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import {
  cards,
  deleteCard,
  items,
  moveUp,
  pickAction,
  scrollTo,
  seedTransfers,
  topOf,
} from '../actions/transfers.ts';
import { expectToast } from '../actions/uploads.ts';

const NOTE = [{ fileName: 'note.txt', bytes: Buffer.from('note') }];
const LIST_CALLS = `**${listTransfers.path}?**`;
const MANY = 10_000;

test.describe('searching', () => {
  test.beforeEach(async ({ member, memberPage: page }) => {
    await sendTransfer(member.client, NOTE, { title: 'Wedding film', recipientEmails: 'rex@example.org' });
    await sendTransfer(member.client, NOTE, { title: 'Invoices', message: 'For the tax office' });
    await page.goto('/dashboard');
    await expect(cards(page)).toHaveCount(2);
  });

  test('a slash focuses the search, Escape clears it, and Back restores it', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    const search = page.getByRole('textbox', { name: 'Search transfers' });
    await page.keyboard.press('/');
    await expect(search).toBeFocused();
    await expect(search).toHaveValue('');
    await page.keyboard.type('TAX');
    await expect(page).toHaveURL('/dashboard?search=TAX');
    await expect(cards(page)).toHaveCount(1);
    await expect(cards(page)).toContainText('Invoices');
    await page.keyboard.press('Escape');
    await expect(search).toHaveValue('');
    await expect(search).toBeFocused();
    await expect(page).toHaveURL('/dashboard');
    await expect(cards(page)).toHaveCount(2);

    await page.goBack();
    await expect(search).toHaveValue('TAX');
    await expect(cards(page)).toHaveCount(1);
    await page.goBack();
    await expect(search).toHaveValue('');
    await expect(cards(page)).toHaveCount(2);
  });

  test('recipients and file names are found, and an empty result says so', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    const search = page.getByRole('textbox', { name: 'Search transfers' });
    await search.fill('rex@');
    await expect(cards(page)).toHaveCount(1);
    await expect(cards(page)).toContainText('Wedding film');
    await search.fill('note.txt');
    await expect(cards(page)).toHaveCount(2);
    await search.fill('xylophone');
    await expect(page.getByRole('heading', { name: 'No transfers found' })).toBeVisible();
    await expect(page.getByText('“xylophone”')).toBeVisible();
    await expectAccessible(page, 'nothing found');
    await page.getByRole('main').getByRole('button', { name: 'Clear search' }).last().click();
    await expect(cards(page)).toHaveCount(2);
    await expect(search).toBeFocused();
  });

  test('during a search the page says so and keeps the previous results', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    const gate = Promise.withResolvers<void>();
    await page.route(LIST_CALLS, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.getByRole('textbox', { name: 'Search transfers' }).fill('film');
    await expect(page.getByRole('status').filter({ hasText: 'Searching' })).toBeAttached();
    await expect(cards(page)).toHaveCount(2);
    gate.resolve();
    await expect(cards(page)).toHaveCount(1);
    await expect(page.getByRole('status').filter({ hasText: '1 transfer found' })).toBeAttached();
  });
});

test('filter and order are part of the URL: Back restores them, and a link shows the same', {
  tag: '@all',
}, async ({ server, member, memberPage: page }) => {
  seedTransfers(server, member, 20);
  await page.goto('/dashboard');
  await expect(cards(page).first()).toContainText('Parcel 1');
  const show = page.getByRole('navigation', { name: 'Show' });
  await show.getByRole('link', { name: 'Expired' }).click();
  await expect(page).toHaveURL('/dashboard?state=expired');
  await expect(cards(page)).toHaveCount(4);
  await expect(cards(page).first()).toContainText('Parcel 5');
  await page.getByLabel('Sort').selectOption('Largest first');
  await expect(page).toHaveURL('/dashboard?sort=size&state=expired');
  await expect(cards(page).first()).toContainText('Parcel 20');
  await page.reload();
  await expect(cards(page).first()).toContainText('Parcel 20');
  await expect(show.getByRole('link', { name: 'Expired' })).toHaveAttribute('aria-current', 'true');
  await page.goBack();
  await expect(cards(page).first()).toContainText('Parcel 5');
  await expect(page.getByLabel('Sort')).toHaveValue('newest');
  await page.goBack();
  await expect(cards(page).first()).toContainText('Parcel 1');
  await show.getByRole('link', { name: 'Active' }).click();
  await expect(page.getByRole('article', { name: 'Parcel 5', exact: true })).toHaveCount(0);
  await page.getByRole('textbox', { name: 'Search transfers' }).fill('Parcel 5');
  await expect(page.getByRole('heading', { name: 'No transfers found' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search' }).last().click();
  await expect(page).toHaveURL('/dashboard');
});

test('the toolbar, the list and the share dialog are accessible', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  test.setTimeout(180_000);
  seedTransfers(server, member, 60);
  await page.goto('/dashboard');
  await expect(cards(page).first()).toBeVisible();
  await expectAccessible(page, 'a list with more to come');
  await pickAction(page, 'Parcel 1', 'Share link and QR code');
  await expect(page.getByRole('img', { name: 'QR code of the share link' })).toBeVisible();
  await expectAccessible(page, 'the QR code');
});

test.describe('10,000 transfers', () => {
  // Loads 51 pages in sequence.
  test.describe.configure({ timeout: 300_000 });

  test('scroll to the last one with few cards rendered, and back without jumps', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    seedTransfers(server, member, MANY);
    await page.goto('/dashboard');
    await expect(cards(page).first()).toContainText('Parcel 1');
    await expect(items(page).first()).toHaveAttribute('aria-setsize', '-1');

    let mostElements = 0;
    await expect
      .poll(
        async () => {
          await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
          mostElements = Math.max(mostElements, await page.locator('*').count());
          return items(page).last().getAttribute('aria-posinset');
        },
        { timeout: 280_000, intervals: [0] },
      )
      .toBe(String(MANY));
    expect(mostElements).toBeLessThan(1_500);
    await expect(page.getByRole('article', { name: `Parcel ${MANY}`, exact: true })).toBeVisible();
    await expect(items(page).last()).toHaveAttribute('aria-setsize', String(MANY));

    // Upwards, where card heights were only estimated.
    for (let step = 0; step < 20; step += 1) expect(await moveUp(page, 300)).toBe(300);
  });

  test('Back from a transfer far down the list leads to its position and its link', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    seedTransfers(server, member, 400);
    await page.goto('/dashboard');
    await scrollTo(page, 'Parcel 150');
    const link = page.getByRole('link', { name: 'Parcel 150', exact: true });
    const before = await topOf(link);
    await link.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Download Activity' })).toBeVisible();
    await page.goBack();
    await expect(link).toBeFocused();
    expect(Math.abs((await topOf(link)) - before)).toBeLessThanOrEqual(1);

    await link.click();
    await expect(page.getByRole('heading', { name: 'Download Activity' })).toBeVisible();
    await page.getByRole('article').getByRole('link', { name: 'My Transfers' }).click();
    await expect(link).toBeVisible();
    expect(Math.abs((await topOf(link)) - before)).toBeLessThanOrEqual(1);
  });

  test('the focus stays on its card, however far it is scrolled out of view', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    seedTransfers(server, member, 200);
    await page.goto('/dashboard');
    const link = page.getByRole('link', { name: 'Parcel 2', exact: true });
    await link.focus();
    await scrollTo(page, 'Parcel 80');
    await expect(page.getByRole('article', { name: 'Parcel 9', exact: true })).toHaveCount(0);
    await expect(link).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(
      page.getByRole('article', { name: 'Parcel 2', exact: true }).getByRole('button', { name: 'Copy Link' }),
    ).toBeFocused();
  });
});

test.describe('deleting in the middle of the list', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('the card collapses, the cards below move up, and the list keeps its position', {
    tag: '@all',
  }, async ({ server, member, memberPage: page }) => {
    seedTransfers(server, member, 120);
    await page.goto('/dashboard');
    await scrollTo(page, 'Parcel 40');
    const below = page.getByRole('article', { name: 'Parcel 41', exact: true });
    const placeOfDeleted = await topOf(page.getByRole('article', { name: 'Parcel 40', exact: true }));
    await deleteCard(page, 'Parcel 40');
    await expectToast(page, 'Transfer deleted', 'The transfer and all associated files have been deleted.');
    await expect(page.getByRole('article', { name: 'Parcel 40', exact: true })).toHaveCount(0);
    await expect.poll(async () => Math.abs((await topOf(below)) - placeOfDeleted)).toBeLessThanOrEqual(1);
    await expect(below.getByRole('link', { name: 'Parcel 41' })).toBeFocused();

    await page.getByRole('button', { name: 'Undo' }).click();
    await expectToast(page, 'Transfer restored');
    await expect
      .poll(async () =>
        Math.abs(
          (await topOf(page.getByRole('article', { name: 'Parcel 40', exact: true }))) - placeOfDeleted,
        ),
      )
      .toBeLessThanOrEqual(1);
  });

  test('a refused deletion restores the card', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    seedTransfers(server, member, 3);
    await page.goto('/dashboard');
    await page.route('**/api/transfers/*', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 503, body: 'Busy' }) : route.continue(),
    );
    await deleteCard(page, 'Parcel 2');
    await expectToast(page, 'Error', 'Failed to delete transfer.');
    await expect(page.getByRole('article', { name: 'Parcel 2', exact: true })).toBeVisible();
    await expect(cards(page)).toHaveCount(3);
  });
});

test('ten cards fit on a screen of 1280 × 800, and nothing overflows one of 320', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  seedTransfers(server, member, 30);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/dashboard');
  await expect(cards(page).nth(9)).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(cards(page).first()).toBeVisible();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
});

test('Ctrl+Z brings a deleted transfer back', async ({ server, member, memberPage: page }) => {
  seedTransfers(server, member, 3);
  await page.goto('/dashboard');
  await deleteCard(page, 'Parcel 2');
  await expectToast(page, 'Transfer deleted');
  await expect(cards(page)).toHaveCount(2);
  await page.reload();
  await expect(cards(page)).toHaveCount(2);
  await deleteCard(page, 'Parcel 3');
  await expectToast(page, 'Transfer deleted');
  await page.keyboard.press('ControlOrMeta+z');
  await expectToast(page, 'Transfer restored');
  await expect(cards(page)).toHaveText([/Parcel 1/, /Parcel 3/]);
  await page.reload();
  await expect(cards(page)).toHaveText([/Parcel 1/, /Parcel 3/]);
});

test('the last transfer can be brought back, also from its own page', { tag: '@all' }, async ({
  member,
  memberPage: page,
}) => {
  const { id } = await sendTransfer(member.client, NOTE, { title: 'Letter' });
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'View Details' }).click();
  await expect(page).toHaveURL(transferPage(id));
  // The address changes before the page: the list, which has a Delete as well, is shown until the next page is ready.
  await expect(page.getByRole('button', { name: 'Copy Share Link' })).toBeVisible();
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No transfers yet')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('article', { name: 'Letter' })).toBeVisible();
});

test('Shift selects a range, which is extended and deleted at once', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  seedTransfers(server, member, 12);
  await page.goto('/dashboard');
  const tick = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const bar = page.getByRole('region', { name: 'Selected transfers' });
  await tick('Parcel 3').focus();
  await page.keyboard.press('Space');
  await expect(bar).toContainText('1 selected');
  await tick('Parcel 6').click({ modifiers: ['Shift'] });
  await expect(bar).toContainText('4 selected');
  await expect(tick('Parcel 5')).toBeChecked();
  await bar.getByRole('button', { name: 'Extend' }).click();
  const dialog = page.getByRole('dialog', { name: 'Extend 4 transfers' });
  await dialog.getByLabel('Days from now').fill('7');
  await dialog.getByRole('button', { name: 'Extend' }).click();
  await expectToast(page, '4 transfers extended');
  // It had expired before.
  await expect(page.getByRole('article', { name: 'Parcel 5', exact: true })).toContainText(
    'Expires in 7 days',
  );
  await expect(bar).toHaveCount(0);

  await pickAction(page, 'Parcel 2', 'Select');
  await bar.getByRole('button', { name: 'Select all 12' }).click();
  await tick('Parcel 1').click();
  await expect(bar).toContainText('11 selected');
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete 11 transfers' }).click();
  await expectToast(page, '11 transfers deleted');
  await expect(cards(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, '11 transfers restored');
  await expect(cards(page)).toHaveCount(12);
  await expect(cards(page).nth(4)).toContainText('Parcel 5');
});

test('the menu of a card is operated by keyboard', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  seedTransfers(server, member, 2);
  await page.goto('/dashboard');
  const button = page.getByRole('button', { name: 'More actions for Parcel 1', exact: true });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Edit' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Extend' })).toBeFocused();
  await page.keyboard.press('r');
  await expect(page.getByRole('menuitem', { name: 'Resend Email' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
  await pickAction(page, 'Parcel 1', 'Edit');
  await page.getByRole('form', { name: 'Edit transfer' }).getByLabel('Title').fill('Crate 1');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expectToast(page, 'Changes saved');
  await expect(page.getByRole('article', { name: 'Crate 1' })).toBeVisible();
});

test('all badges stay up to date while the page is open', { tag: ['@all', '@full-browser'] }, async ({
  server,
  member,
  memberPage: page,
}) => {
  seedTransfers(server, member, 4);
  await page.clock.install();
  await page.goto('/dashboard');
  await expect(cards(page).getByText('Expires in 1 day')).toHaveCount(4);
  await page.clock.fastForward('22:30:00');
  await expect(cards(page).getByText(/^Expires in [12] hours?$/)).toHaveCount(4);
  await page.clock.fastForward('02:00:00');
  await expect(cards(page).getByText('Expired', { exact: true })).toHaveCount(4);
});

test('a page that fails to load can be retried', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  seedTransfers(server, member, 120);
  await page.route('**/api/transfers?*cursor=*', (route) => route.abort());
  await page.goto('/dashboard');
  await expect(cards(page).first()).toBeVisible();
  const again = page.getByRole('button', { name: 'Try again' });
  await expect(async () => {
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await expect(again).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.unrouteAll();
  await again.click();
  await scrollTo(page, 'Parcel 120');
});

test('the QR code is saved as SVG and PNG', { tag: '@all' }, async ({ server, member, memberPage: page }) => {
  seedTransfers(server, member, 1);
  await page.goto('/dashboard');
  await pickAction(page, 'Parcel 1', 'Share link and QR code');
  await expect(page.getByRole('img', { name: 'QR code of the share link' })).toBeVisible();
  const [svg] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as SVG' }).click(),
  ]);
  expect(svg.suggestedFilename()).toBe('QR code Parcel 1.svg');
  const [png] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as PNG' }).click(),
  ]);
  expect(png.suggestedFilename()).toBe('QR code Parcel 1.png');
});

test('a device with a native share sheet offers it', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  seedTransfers(server, member, 1);
  await page.addInitScript('navigator.share = async (what) => { window.shared = what; }');
  await page.goto('/dashboard');
  await pickAction(page, 'Parcel 1', 'Share link and QR code');
  await page.getByRole('button', { name: 'Share…' }).click();
  const link = await page.getByRole('textbox', { name: 'Share link' }).inputValue();
  expect(await page.evaluate('window.shared')).toEqual({ title: 'Parcel 1', url: link });
});
