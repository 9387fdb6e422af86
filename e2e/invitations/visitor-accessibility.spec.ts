import type { Page } from '@playwright/test';
import { invitationPath } from '../../contracts/values/addresses/links.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import {
  askForCode,
  codeField,
  findVisitorCode,
  inventAddress,
  inviteGuests,
  uploadButton,
} from '../actions/invitations.ts';
import { writeFile } from '../actions/sample-files.ts';
import { chooseFiles } from '../actions/uploads.ts';

test.describe.configure({ timeout: 120_000 });

test(
  'each step is accessible in both themes from 320 px on',
  { tag: '@all' },
  async ({ server, member: prem, visitorPage: vera }, testInfo) => {
    const { token } = await inviteGuests(prem, { message: 'Please' });
    const email = inventAddress();
    await vera.goto(invitationPath(token));
    await vera.getByRole('button', { name: 'Send Verification Code' }).click();
    await expectUsable(vera, 'email');
    await askForCode(vera, email);
    await expectUsable(vera, 'code');
    await codeField(vera).fill(await findVisitorCode(server, email));
    await expect(uploadButton(vera)).toBeVisible();
    await expectUsable(vera, 'files');
    await chooseFiles(vera, writeFile(testInfo, 'speech.txt', 'Hello'));
    await expectUsable(vera, 'chosen files');
    await uploadButton(vera).click();
    await expect(vera.getByTestId('delivered')).toBeVisible();
    // Until the remaining limits are known, the old ones are dimmed.
    await expect(vera.locator('[aria-busy=true]')).toHaveCount(0);
    await expectUsable(vera, 'delivered');
  },
);

test(
  'a visitor can deliver files using only the keyboard',
  { tag: '@all' },
  async ({ server, member: prem, visitorPage: vera }, testInfo) => {
    const { token } = await inviteGuests(prem);
    const email = inventAddress();
    await vera.goto(invitationPath(token));
    await expect(vera.getByLabel('Email address')).toBeFocused();
    await vera.keyboard.type(email);
    await vera.keyboard.press('Enter');
    await expect(codeField(vera)).toBeFocused();
    await vera.keyboard.type(await findVisitorCode(server, email));
    await expect(vera.getByRole('heading', { name: 'Your files' })).toBeFocused();
    await vera.keyboard.press('Tab');
    await expect(vera.getByRole('button', { name: 'Not you?' })).toBeFocused();
    await vera.keyboard.press('Tab');
    await expect(vera.getByRole('button', { name: 'Browse Files' })).toBeFocused();
    await chooseFiles(vera, writeFile(testInfo, 'speech.txt', 'Hello'));
    await uploadButton(vera).focus();
    await vera.keyboard.press('Enter');
    await expect(vera.getByRole('heading', { name: `Delivered to ${prem.name}` })).toBeFocused();
    await vera.keyboard.press('Tab');
    await expect(vera.getByRole('button', { name: 'Send more files' })).toBeFocused();
  },
);

async function expectUsable(page: Page, name: string): Promise<void> {
  await expectAccessible(page, name);
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(320);
}
