import type { Locator, Page } from '@playwright/test';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { transferPage } from '../../contracts/values/addresses/pages.ts';
import { type NamedBytes, sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { inventPerson, PASSWORD } from '../actions/people.ts';
import { writeFile, writeFiles } from '../actions/sample-files.ts';
import { chooseFolder, waitForLink } from '../actions/uploads.ts';

// Checks each state with axe.
test.describe.configure({ timeout: 180_000 });

const FILES: NamedBytes[] = [
  { fileName: 'letter.txt', bytes: Buffer.from('Dear Vera') },
  { fileName: 'picture.jpg', bytes: Buffer.alloc(2_000) },
];

test('the account pages are accessible', { tag: '@all' }, async ({ page }) => {
  const { name, username, email } = inventPerson();
  await page.goto('/auth');
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page.getByText('Username is required')).toBeVisible();
  await expectAccessible(page, 'signing in, with mistakes');
  await page.getByRole('link', { name: "Don't have an account? Sign up" }).click();
  await expectAccessible(page, 'registration');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByText('Name is required', { exact: true })).toBeVisible();
  await expectAccessible(page, 'registration, with mistakes');
  await page.getByLabel('Full Name').fill(name);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm Password').fill(PASSWORD);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByRole('heading', { name: 'Verify Your Email' })).toBeVisible();
  await expectAccessible(page, 'the code, with a toast');
  await page.goto('/no/such/page');
  await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible();
  await expectAccessible(page, 'an unknown address');
});

test('the list of transfers and the detail page are accessible', async ({ member, memberPage: page }) => {
  await page.goto('/dashboard');
  await expect(page.getByText('No transfers yet')).toBeVisible();
  await expectAccessible(page, 'no transfers');
  const settings = { title: 'Letter', message: 'For you', maxDownloads: 3, password: 'sesame' };
  const { id } = await sendTransfer(member.client, FILES, settings);
  await page.reload();
  await expect(page.getByRole('article', { name: 'Letter' })).toBeVisible();
  await expectAccessible(page, 'one transfer');
  await page.getByRole('button', { name: /^More actions/ }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await expectAccessible(page, 'the menu of a card');
  await page.getByRole('menuitem', { name: 'Select' }).click();
  await expectAccessible(page, 'a selection');
  await page
    .getByRole('region', { name: 'Selected transfers' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expectAccessible(page, 'the question before deleting');
  await page.goto(transferPage(id));
  await expect(page.getByRole('heading', { name: 'Download Activity' })).toBeVisible();
  await expectAccessible(page, 'a transfer');
});

test(
  'the upload page is accessible from the empty list to the link',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    const folder = writeFiles(testInfo, { 'album/one.txt': 'one', 'album/inner/two.txt': 'two' });
    await page.goto('/dashboard/upload');
    await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
    await expectAccessible(page, 'nothing chosen');
    await chooseFolder(page, `${folder}/album`);
    await expect(page.getByTestId('total-size')).toContainText('2 files');
    await expectAccessible(page, 'files chosen');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await waitForLink(page);
    await expectAccessible(page, 'the link');
  },
);

test('public pages are accessible', { tag: '@all' }, async ({ member, visitorPage: page }) => {
  const open = await sendTransfer(member.client, FILES, { title: 'Letter', message: 'For you' });
  const single = await sendTransfer(member.client, FILES.slice(0, 1), { maxDownloads: 5 });
  const locked = await sendTransfer(member.client, FILES, { password: 'sesame' });
  await page.goto(sharePath(open.token));
  await expect(page.getByRole('heading', { name: 'Letter' })).toBeVisible();
  await expectAccessible(page, 'several files');
  await page.goto(sharePath(single.token));
  await expect(page.getByRole('link', { name: 'letter.txt' })).toBeVisible();
  await expectAccessible(page, 'a single file');
  await page.goto(sharePath(locked.token));
  await expect(page.getByRole('heading', { name: 'Password Required' })).toBeVisible();
  await expectAccessible(page, 'locked');
  await page.goto(sharePath('nosuchtransfernosuchtransfe'));
  await expect(page.getByRole('heading', { name: 'Transfer Not Found' })).toBeVisible();
  await expectAccessible(page, 'unknown');
});

test('a transfer can be sent using only the keyboard, with a visible focus', async ({
  memberPage: page,
}, testInfo) => {
  // Without this picker, browsers open the classic one, which tests can control.
  await page.addInitScript('delete window.showOpenFilePicker');
  // Early, because the browser needs a moment to hand over its pickers.
  const path = writeFile(testInfo, 'letter.txt', 'Dear Vera');
  page.on('filechooser', (chooser) => void chooser.setFiles(path));
  await page.goto('/dashboard/upload');
  await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
  await tabTo(page, 'Skip to content');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Browse Files');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('total-size')).toContainText('1 file');
  await tabTo(page, 'Title');
  await page.keyboard.type('A letter');
  await tabTo(page, 'Options Expires in 90 days · No password · No limit');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Download limit');
  await page.keyboard.type('2');
  await tabTo(page, 'Auto-delete');
  await page.keyboard.press('Space');
  await expect(page.getByRole('switch', { name: 'Auto-delete' })).toBeChecked();
  await tabTo(page, 'Upload');
  await page.keyboard.press('Enter');
  await page.goto(await waitForLink(page));
  await expect(page.getByRole('heading', { name: 'A letter' })).toBeVisible();
  await expect(page.getByText('0 / 2')).toBeVisible();
});

/** Presses Tab until the control with this name is focused. Each control on the way must show its focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = page.locator(':focus');
  const names: string[] = [];
  for (let presses = 0; presses < 60 && names.at(-1) !== name; presses += 1) {
    await page.keyboard.press('Tab');
    // The calendar button of a date field is drawn by the browser.
    if ((await focused.count()) === 0) continue;
    names.push(await readName(focused));
    await expect(focused, names.join(', ')).toHaveCSS('outline-style', 'solid');
    await expect(focused, names.join(', ')).not.toHaveCSS('outline-width', '0px');
  }
  expect(names.at(-1), names.join(', ')).toBe(name);
}

/** The accessible name, from the ARIA snapshot. */
async function readName(control: Locator): Promise<string> {
  const [line = ''] = (await control.ariaSnapshot()).split('\n');
  return /"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line;
}
