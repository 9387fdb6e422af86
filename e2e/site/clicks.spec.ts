import type { FileChooser, Page } from '@playwright/test';
import { invitationPath, sharePath } from '../../contracts/values/addresses/links.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { CARDS } from '../actions/billing.ts';
import { expect, test } from '../actions/fixtures.ts';
import {
  codeField,
  expectDelivered,
  findVisitorCode,
  inventAddress,
  inviteGuests,
  openInvitations,
  uploadButton,
} from '../actions/invitations.ts';
import { fillRegistration, inventPerson } from '../actions/people.ts';
import { writeFile } from '../actions/sample-files.ts';
import { dropFiles, startUpload, waitForLink } from '../actions/uploads.ts';

test.use({ tier: 'free' });

const LETTERS = ['one.txt', 'two.txt'].map((fileName) => ({ fileName, bytes: Buffer.from(fileName) }));

test(
  'a new visitor gets a link with five clicks and six fields',
  { tag: '@all' },
  async ({ page, server }, testInfo) => {
    const person = inventPerson();
    const effort = await countEffort(page);
    await page.goto(PAGES.landing);
    await pick(page, 'Choose files', writeFile(testInfo, 'letter.txt', 'letter'));
    await expect(page.getByText('1 file is waiting')).toBeVisible();
    await fillRegistration(page, person);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page.getByLabel('Verification code')).toBeFocused();
    await page.keyboard.type(await server.findCode(person.email));
    await expect(page).toHaveURL(PAGES.upload);
    await startUpload(page);
    await waitForLink(page);
    await expect.poll(effort).toEqual({ clicks: 5, fields: 6 });
  },
);

test(
  'a returning user sends a dropped file with one click',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    const effort = await countEffort(page);
    await page.goto(PAGES.dashboard);
    await expect(page.getByText('No transfers yet')).toBeVisible();
    await dropFiles(page, [writeFile(testInfo, 'letter.txt', 'letter')]);
    await expect(page).toHaveURL(PAGES.upload);
    await startUpload(page);
    await waitForLink(page);
    await expect(page.getByRole('button', { name: 'Copy Link' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toContain('/download/');
    await expect.poll(effort).toEqual({ clicks: 1, fields: 0 });
  },
);

test.describe(() => {
  test.use({ tier: 'premium' });

  test('an invitation needs one click', { tag: '@all' }, async ({ memberPage: page }) => {
    const effort = await countEffort(page);
    await openInvitations(page);
    await page.getByRole('button', { name: 'Create Your First Invitation' }).click();
    await expect(page.getByLabel('Title')).toBeFocused();
    await page.keyboard.type('Wedding photographs');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Invitation link' });
    await expect(dialog.getByRole('button', { name: /^Copy/ })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toContain('/upload/');
    await expect.poll(effort).toEqual({ clicks: 1, fields: 1 });
  });

  test(
    'an invited visitor delivers with three clicks',
    { tag: '@all' },
    async ({ member, server, visitorPage: page }, testInfo) => {
      const { token } = await inviteGuests(member);
      const email = inventAddress();
      const effort = await countEffort(page);
      await page.goto(invitationPath(token));
      await expect(page.getByLabel('Email address')).toBeFocused();
      await page.keyboard.type(email);
      await page.keyboard.press('Enter');
      const code = await findVisitorCode(server, email);
      await expect(codeField(page)).toBeFocused();
      await page.keyboard.type(code);
      await expect(page.getByRole('heading', { name: 'Your files' })).toBeVisible();
      await pick(page, 'Browse Files', writeFile(testInfo, 'letter.txt', 'letter'));
      await uploadButton(page).click();
      await expectDelivered(page, 1);
      await expect.poll(effort).toEqual({ clicks: 3, fields: 2 });
    },
  );

  test('a locked transfer is downloaded with one click and its password', { tag: '@all' }, async ({
    member,
    visitorPage: page,
  }) => {
    const { token } = await sendTransfer(member.client, LETTERS, { password: 'sesame' });
    const effort = await countEffort(page);
    await page.goto(sharePath(token));
    await expect(page.getByLabel('Password')).toBeFocused();
    await page.keyboard.type('sesame');
    await page.keyboard.press('Enter');
    await downloadAll(page);
    await expect.poll(effort).toEqual({ clicks: 1, fields: 1 });
  });
});

test('a recipient downloads everything with one click', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, LETTERS);
  const effort = await countEffort(page);
  await page.goto(sharePath(token));
  await downloadAll(page);
  await expect.poll(effort).toEqual({ clicks: 1, fields: 0 });
});

test('a plan is bought with three clicks', { tag: '@all' }, async ({ memberPage: page }) => {
  const effort = await countEffort(page);
  await page.goto(PAGES.dashboard);
  await page.getByRole('navigation').getByRole('link', { name: 'Upgrade' }).click();
  await page.getByRole('button', { name: 'Subscribe to Pro' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Card number').fill(CARDS.pays);
  await dialog.getByLabel('Expiry').fill('12/34');
  await dialog.getByLabel('CVC').fill('123');
  await dialog.getByRole('button', { name: 'Subscribe Now' }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(effort).toEqual({ clicks: 3, fields: 3 });
});

async function downloadAll(page: Page): Promise<void> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download All Files' }).click();
  await download;
}

type Effort = { clicks: number; fields: number };

/**
 * Counts presses of the pointer and the fields that are typed into, in all documents of the page; `pick` adds the click
 * in the picker.
 */
async function countEffort(page: Page): Promise<() => Effort> {
  let clicks = 0;
  const fields = new Set<string>();
  page.on('filechooser', () => {
    clicks += 1;
  });
  await page.exposeFunction('noteClick', () => {
    clicks += 1;
  });
  await page.exposeFunction('noteField', (field: string) => fields.add(field));
  // Playwright can't choose files in this picker; the page falls back to the input's.
  await page.addInitScript('delete window.showOpenFilePicker');
  // Playwright presses again if something moved below the pointer. It stops such an event at the window, before this.
  await page.addInitScript(
    "document.addEventListener('pointerdown', (event) => { if (event.isTrusted) noteClick(); }, true)",
  );
  await page.addInitScript(`addEventListener('input', ({ target }) => {
    if (target.type !== 'file' && target.type !== 'checkbox') noteField(location.pathname + ' ' + (target.name || target.id));
  }, true)`);
  return () => ({ clicks, fields: fields.size });
}

/** Chooses a file in the picker that the button opens. */
async function pick(page: Page, button: string, path: string): Promise<void> {
  const opened: Promise<FileChooser> = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).click();
  await (await opened).setFiles(path);
}
