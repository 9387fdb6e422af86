import type { Page } from '@playwright/test';
import { removeBackground, setBackground, showBackground } from '../../contracts/accounts/backgrounds.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { HOUR_MS } from '../../contracts/values/durations.ts';
import { BLUE, paint, RED, setPicture } from '../../testing/uploads/background-pictures.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { expectReadable, measureLightest } from '../actions/picture-behind.ts';
import { writeFile } from '../actions/sample-files.ts';
import { expectToast } from '../actions/uploads.ts';

const WHITE = { r: 255, g: 255, b: 255 };
const BLACK = { r: 0, g: 0, b: 0 };
const FILES = [
  { fileName: 'one.txt', bytes: Buffer.from('one') },
  { fileName: 'two.txt', bytes: Buffer.from('two') },
];
const PHOTO = { width: 1600, height: 1000 };
/** Pictures are rendered by a low-priority process, which is slow on a busy machine. */
const RENDERING_MS = 60_000;

const preview = (page: Page) => page.getByRole('img', { name: 'Preview: your download page' });
/** The preview of the stored picture, not of the upload. */
const storedPicture = (page: Page) =>
  preview(page).locator(`img[src^="${showBackground.path.split(':')[0]}"]`);
const choosePicture = (page: Page, buffer: Buffer, mimeType = 'image/png', name = 'picture.png') =>
  page.getByTestId('background-input').setInputFiles({ name, mimeType, buffer });

test('a premium sender sets, replaces and removes the background that recipients see', {
  tag: '@all',
}, async ({ member, memberPage: sender, visitorPage: recipient }) => {
  test.slow();
  const { token } = await sendTransfer(member.client, FILES, { title: 'The harbour' });
  const visit = async () => {
    await recipient.goto(sharePath(token));
    await expect(recipient.getByRole('heading', { name: 'The harbour' })).toBeVisible();
  };
  const isRed = async () => {
    const { red, blue } = await measureLightest(recipient);
    return red > blue;
  };

  await test.step('without one the page has its usual look', async () => {
    await visit();
    await expect(recipient.getByTestId('page-background')).toHaveCount(0);
    await sender.goto(PAGES.settingsBackground);
    await expect(sender.getByText('No picture yet.')).toBeVisible();
    await expect(sender.getByRole('button', { name: 'Remove', exact: true })).toHaveCount(0);
  });

  await test.step('what is no picture is refused', async () => {
    for (const [name, type] of [
      ['notes.txt', 'text/plain'],
      ['logo.svg', 'image/svg+xml'],
    ] as const) {
      await choosePicture(sender, Buffer.from('<svg/>'), type, name);
      await expectToast(sender, 'Invalid File', 'Please select an image file');
    }
    await choosePicture(sender, Buffer.from('no picture'), 'image/png', 'liar.png');
    await expectToast(sender, 'Upload Failed', '400: Please select an image file');
  });

  await test.step('a picture is set', async () => {
    await choosePicture(sender, await paint(RED, PHOTO));
    await expect(storedPicture(sender)).toBeVisible({ timeout: RENDERING_MS });
    await expectToast(sender, 'Background Updated');
    await visit();
    expect(await isRed()).toBe(true);
  });

  await test.step('and replaced by one that is dropped', async () => {
    const base64 = (await paint(BLUE, PHOTO)).toString('base64');
    const dataTransfer = await sender.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob('${base64}'), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'blue.png', { type: 'image/png' }));
      return transfer;
    })()`);
    const before = (await storedPicture(sender).getAttribute('src'))!;
    await preview(sender).dispatchEvent('drop', { dataTransfer });
    await expect(storedPicture(sender)).not.toHaveAttribute('src', before, { timeout: RENDERING_MS });
    await visit();
    expect(await isRed()).toBe(false);
  });

  await test.step('and removed, after a question', async () => {
    await sender.getByRole('button', { name: 'Remove', exact: true }).click();
    const question = sender.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(preview(sender)).toBeVisible();
    await sender.getByRole('button', { name: 'Remove', exact: true }).click();
    await question.getByRole('button', { name: 'Remove background' }).click();
    await expectToast(sender, 'Background Removed');
    await expect(sender.getByRole('heading', { name: 'Download background' })).toBeFocused();
    await expect(sender.getByText('No picture yet.')).toBeVisible();
    await visit();
    await expect(recipient.getByTestId('page-background')).toHaveCount(0);
  });
});

test(
  'an upload shows its progress, can be canceled, and reports failures; so does a removal',
  {
    tag: '@all',
  },
  async ({ member, memberPage: page }, testInfo) => {
    await setPicture(member.client, await paint(RED));
    const answer = Promise.withResolvers<void>();
    await page.route(setBackground.path, async (route) => {
      if (route.request().method() === removeBackground.method)
        return route.fulfill({ status: 503, body: 'Busy for a moment.' });
      await answer.promise;
      return route.fulfill({ status: 507, body: 'There is no room.' }).catch(() => undefined);
    });
    await page.goto(PAGES.settingsBackground);
    await choosePicture(page, await paint(BLUE));
    await expect(page.getByRole('progressbar', { name: 'Uploading picture.png' })).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('progressbar', { name: 'Uploading picture.png' })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Replace' })).toBeFocused();

    await choosePicture(page, await paint(BLUE));
    answer.resolve();
    await expectToast(page, 'Upload Failed', '507: There is no room.');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove background' }).click();
    await expectToast(page, 'Remove Failed', '503: Busy for a moment.');
    await expect(preview(page)).toBeVisible();

    // A file, because Playwright takes long to pass so many bytes.
    const large = writeFile(testInfo, 'large.png', Buffer.alloc(20 * 1024 * 1024 + 1));
    await page.getByTestId('background-input').setInputFiles(large);
    await expectToast(page, 'Upload Failed', 'Please choose an image of at most 20 MB.');
  },
);

test.describe('a pro sender', () => {
  test.use({ tier: 'pro' });

  test('does not see the background settings', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto(PAGES.settingsBackground);
    await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
    await expect(page).toHaveURL(PAGES.settings);
    await expect(page.getByText('background')).toHaveCount(0);
  });
});

test('small windows get the small picture; one that fails to load leaves the page unchanged', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  await setPicture(member.client, await paint(RED, PHOTO));
  const { token } = await sendTransfer(member.client, FILES, { title: 'The harbour' });
  const sizes: (string | null)[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith(showBackground.path.split(':')[0]!)) sizes.push(url.searchParams.get('size'));
  });
  for (const width of [390, 1280]) {
    await page.goto('about:blank');
    await page.setViewportSize({ width, height: 844 });
    await page.goto(sharePath(token));
    await measureLightest(page);
  }
  expect(sizes).toEqual(['small', 'large']);

  await page.route('**/api/backgrounds/**', (route) => route.fulfill({ status: 410, body: 'gone' }));
  await page.reload();
  await expect(page.getByRole('heading', { name: 'The harbour' })).toBeVisible();
  await expect(page.getByTestId('page-background')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Switch to light theme' })).toBeVisible();
});

test('all text is readable on a white and a black picture, before and after the password', {
  tag: '@all',
}, async ({ server, member, memberPage, visitorPage: page }) => {
  test.slow();
  const soon = new Date(Date.now() + HOUR_MS).toISOString();
  const settings = { title: 'The harbour', message: 'Three pictures.\nMore to come.' };
  const open = await sendTransfer(member.client, FILES, { ...settings, maxDownloads: 5, expiresAt: soon });
  const single = await sendTransfer(member.client, FILES.slice(0, 1), settings);
  const locked = await sendTransfer(member.client, FILES, { ...settings, password: 'open sesame' });
  const scheduled = await sendTransfer(member.client, FILES, { ...settings, scheduledAvailableAt: soon });
  for (const [colour, rgb] of Object.entries({ white: WHITE, black: BLACK })) {
    await setPicture(member.client, await paint(rgb, PHOTO));
    for (const [state, { token }] of Object.entries({ open, single, locked, scheduled })) {
      await page.goto(sharePath(token));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      if (state === 'locked') {
        await page.getByLabel('Password', { exact: true }).fill('open barley');
        await page.getByRole('button', { name: 'Unlock Transfer' }).click();
        await expectToast(page, 'Invalid password');
      }
      await expectReadable(page, `${state} on ${colour}`);
    }
    await memberPage.goto(PAGES.settingsBackground);
    await expect(preview(memberPage)).toBeVisible();
    await expectAccessible(memberPage, `settings with ${colour}`);
  }

  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET expiresAt = ? WHERE token = ?').run(Date.now() - 1000, open.token),
  );
  await page.goto(sharePath(open.token));
  await expect(page.getByRole('heading', { name: 'Transfer Expired' })).toBeVisible();
  await expect(page.getByTestId('page-background')).toHaveCount(0);
});
