import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, TestInfo } from '@playwright/test';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { fillRegistration, inventPerson, PASSWORD } from '../actions/people.ts';
import {
  dragFiles,
  dropFiles,
  dropRefusedFiles,
  expectToast,
  startUpload,
  waitForLink,
} from '../actions/uploads.ts';

test('files dropped on the landing page are sent after signing up', async ({ page, server }, testInfo) => {
  const person = inventPerson();
  const paths = writeSamples(testInfo);
  await page.goto('/');
  await test.step('a file and a folder wait in the browser', async () => {
    await dragFiles(page, paths);
    await expect(page.getByText('Drop to send')).toBeVisible();
    await dropFiles(page, paths);
    await expect(page).toHaveURL('/auth?mode=sign-up');
    const notice = page.getByRole('region', { name: 'Files waiting' });
    await expect(notice).toContainText('3 files are waiting');
    for (const name of ['letter.txt', 'one.txt', 'two.txt'])
      await expect(notice.getByText(name)).toBeVisible();
    await expectAccessible(page, 'files that wait for an account');
  });
  await test.step('sign-up and the code lead to the upload page without another click', async () => {
    await fillRegistration(page, person);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page.getByLabel('Verification code')).toBeFocused();
    await page.keyboard.type(await server.findCode(person.email));
    await expect(page).toHaveURL('/dashboard/upload');
    await expectToast(page, 'Email verified!');
  });
  await test.step('the files are there and can be sent at once', async () => {
    await expectListed(page, ['letter.txt', 'one.txt', 'two.txt']);
    await startUpload(page);
    await waitForLink(page);
  });
  await test.step('they do not wait any longer', async () => {
    await page.goto('/dashboard/upload');
    await expect(page.getByText('Drop files here')).toBeVisible();
    await expect(page.getByText('letter.txt')).toHaveCount(0);
  });
});

test(
  'for signed-in users they go straight to the upload page',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/');
    await expect(page.getByRole('link', { name: 'Upload Files' })).toBeVisible();
    await dropFiles(page, writeSamples(testInfo));
    await expect(page).toHaveURL('/dashboard/upload');
    await expectListed(page, ['letter.txt', 'one.txt', 'two.txt']);
  },
);

test(
  'chosen and pasted files wait together, and signing in sends them, too',
  { tag: '@all' },
  async ({ page, member }, testInfo) => {
    const [letter, folder] = writeSamples(testInfo);
    await page.goto('/');
    await page.locator('[data-input=files]').setInputFiles(letter!);
    await expect(page.getByText('1 file is waiting')).toBeVisible();
    await page.goBack();
    await page.locator('[data-input=folder]').setInputFiles(folder!);
    await expect(page.getByText('3 files are waiting')).toBeVisible();
    await page.goBack();
    await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['picture'], 'pasted.png', { type: 'image/png' }));
    dispatchEvent(new ClipboardEvent('paste', { clipboardData }));
  })()`);
    await expect(page.getByText('4 files are waiting')).toBeVisible();
    await page.getByRole('link', { name: 'Already have an account? Sign in' }).click();
    await page.getByLabel('Username').fill(member.username);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(page).toHaveURL('/dashboard/upload');
    await expectListed(page, ['letter.txt', 'one.txt', 'two.txt', 'pasted.png']);
  },
);

test(
  'an empty selection and a browser without storage are reported in the drop area',
  {
    tag: '@all',
  },
  async ({ page }, testInfo) => {
    const [letter] = writeSamples(testInfo);
    const junk = join(testInfo.outputPath('junk'), '.DS_Store');
    mkdirSync(testInfo.outputPath('junk'));
    writeFileSync(junk, '');
    await page.addInitScript('delete IDBFactory.prototype.open');
    await page.goto('/');
    await page.locator('[data-input=files]').setInputFiles(junk);
    await expect(page.getByText('There are no files in your selection.')).toBeVisible();
    await page.locator('[data-input=files]').setInputFiles(letter!);
    await expect(page.getByText('Your browser couldn’t keep these files.')).toBeVisible();
    await expect(page).toHaveURL('/');
  },
);

test('a file dropped on another static page does not open', { tag: '@all' }, async ({ page }, testInfo) => {
  await page.goto('/terms');
  await dropRefusedFiles(page, writeSamples(testInfo));
  await expect(page).toHaveURL('/terms');
  await expect(page.getByRole('heading', { level: 1, name: 'Terms of Service' })).toBeVisible();
});

/** A file, and a folder with two files. */
function writeSamples(testInfo: TestInfo): string[] {
  const letter = testInfo.outputPath('letter.txt');
  const folder = testInfo.outputPath('tour');
  mkdirSync(folder);
  writeFileSync(letter, 'Dear Vera');
  for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.txt`), name);
  return [letter, folder];
}

async function expectListed(page: Page, names: string[]): Promise<void> {
  for (const name of names) await expect(page.getByText(name, { exact: true })).toBeVisible();
}
