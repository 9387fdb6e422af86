import type { Locator } from '@playwright/test';
import {
  deleteInvitation,
  type Invitation,
  listInvitations,
} from '../../contracts/transfers/uploads/invitations.ts';
import { GIB, MIB } from '../../contracts/values/sizes.ts';
import { expect, test } from '../actions/fixtures.ts';
import { cardOf, closeLink, expectFact, invite, openInvitations, submit } from '../actions/invitations.ts';
import type { Member } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

test('the first invitation is created, its link opens and is copied, and it is listed on top', async ({
  memberPage: page,
  server,
}) => {
  await openInvitations(page);
  await expect(page.getByRole('heading', { name: 'No upload invitations yet' })).toBeVisible();
  await page.getByRole('button', { name: 'Create Your First Invitation' }).click();
  const form = page.getByRole('dialog', { name: 'Create upload invitation' });
  await expect(form.getByLabel('Message')).toHaveAttribute('rows', '3');
  await expect(form.getByLabel('Expiration in days')).toHaveValue('30');
  await expect(form.getByLabel('Title')).toBeFocused();
  await form.getByLabel('Title').fill('  Studio pictures ');
  await form.getByLabel('Message').fill('In full size, please.');
  await submit(form, 'Create Invitation');
  await expectToast(page, 'Upload invitation created successfully');
  await expect(form).toBeHidden();
  const dialog = page.getByRole('dialog', { name: 'Invitation link' });
  const shown = await dialog.getByRole('textbox', { name: 'Invitation link' }).inputValue();
  await expect(dialog.getByRole('img', { name: 'QR code of the invitation link' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Copy Link' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectToast(page, 'Copied!', 'Invitation link copied to clipboard');
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(shown);
  await closeLink(page);

  const card = cardOf(page, 'Studio pictures');
  await expect(card).toContainText('In full size, please.');
  await expect(card.getByRole('switch', { name: 'Active' })).toBeChecked();
  await expectFact(card, 'Max File Size', '50 GB');
  await expectFact(card, 'Created', /^\w+ \d+, \d{4}$/);
  await expectFact(card, 'Expires', /^\w+ \d+, \d{4}$/);
  await card.getByRole('button', { name: 'Copy Link' }).click();
  await expectToast(page, 'Copied!', 'Invitation link copied to clipboard');
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(link).toMatch(`${server.url}/upload/`);
  expect(link).toBe(shown);
  await expect(card.getByText(link, { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Create Invitation' }).click();
  await page.keyboard.type('The second');
  await page.keyboard.press('Enter');
  await closeLink(page);
  await expect(page.getByRole('article').first()).toHaveAccessibleName('The second');
  await expect(cardOf(page, 'The second')).toContainText('No message');
  await page.reload();
  await expect(page.getByRole('article')).toHaveCount(2);
  await expect(page.getByRole('article').first()).toHaveAccessibleName('The second');
});

test('errors of an invitation are shown at their fields, and typed limits are kept', {
  tag: '@all',
}, async ({ member, memberPage: page }) => {
  await openInvitations(page);
  await page.getByRole('button', { name: 'Create Invitation' }).click();
  const form = page.getByRole('dialog', { name: 'Create upload invitation' });
  const title = form.getByLabel('Title');
  await title.fill('   ');
  await submit(form, 'Create Invitation');
  await expect(title).toHaveAccessibleDescription('Title is required');
  await expect(title).toBeFocused();
  await title.fill('Reports');
  await form.getByLabel('Expiration in days').fill('91');
  await submit(form, 'Create Invitation');
  await expect(form.getByText('Please enter at most 90 days')).toBeVisible();
  await form.getByLabel('Expiration in days').fill('7');

  await limitsOf(form).click();
  await expect(form.getByText("Leave empty for your plan's limit of 50 GB")).toHaveCount(2);
  await form.getByLabel('Max file size').fill('5 bananas');
  await limitsOf(form).click();
  await expect(form.getByLabel('Max file size')).toBeHidden();
  await submit(form, 'Create Invitation');
  await expect(form.getByText('Please enter a size like 5GB or 500MB')).toBeVisible();
  await form.getByLabel('Max file size').fill('500mb');
  await form.getByLabel('Max total size').fill('51GB');
  await form.getByLabel('Max files').fill('12');
  await form.getByLabel('Allowed file types').fill('.PDF, docx');
  await submit(form, 'Create Invitation');
  await expect(form.getByText('Your plan allows at most 50 GB')).toBeVisible();
  await form.getByLabel('Max total size').fill('2GB');
  await form.getByRole('switch', { name: 'Recurring use' }).click();
  await expect(form.getByRole('switch', { name: 'Recurring use' })).toHaveAccessibleDescription(
    'These limits start again with each visit.',
  );
  await form.getByRole('switch', { name: 'Also limit the total' }).click();
  await submit(form, 'Create Invitation');
  await expect(form.getByText('Please enter a number of files, a size, or both')).toBeVisible();
  await form.getByLabel('Size in total').fill('1TB');
  await submit(form, 'Create Invitation');
  await closeLink(page);
  const card = cardOf(page, 'Reports');
  await expect(card.getByText('Recurring', { exact: true })).toBeVisible();
  await expectFact(card, 'Max File Size', '500 MB');
  await expectFact(card, 'Allowed file types', 'pdf, docx');
  const [stored] = await member.client.call(listInvitations);
  expect(stored).toMatchObject({
    title: 'Reports',
    maxFileSize: 500 * MIB,
    maxTotalSize: 2 * GIB,
    maxFiles: 12,
    allowedTypes: ['pdf', 'docx'],
    isRecurring: true,
    totalFilesLimit: null,
    totalBytesLimit: 1024 * GIB,
  });
});

test('an invitation is turned off and on and deleted after confirmation; refusals are shown', {
  tag: '@all',
}, async ({ member, memberPage: page }) => {
  const kept = await invite(member, 'Kept');
  const gone = await invite(member, 'Gone');
  await openInvitations(page);
  const active = cardOf(page, 'Kept').getByRole('switch', { name: 'Active' });
  await active.click();
  await expectToast(page, 'Upload invitation status updated');
  await expect(cardOf(page, 'Kept').getByText('Disabled', { exact: true })).toBeVisible();
  await expect(active).not.toBeChecked();
  expect(await isOpen(member, kept)).toBe(false);
  await active.press('Space');
  await expect(cardOf(page, 'Kept').getByText('Disabled', { exact: true })).toHaveCount(0);
  expect(await isOpen(member, kept)).toBe(true);

  await test.step('the question can be answered with no', async () => {
    await cardOf(page, 'Gone').getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete this invitation?' });
    await expect(question).toContainText('Files that have arrived stay in My Transfers.');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(cardOf(page, 'Gone').getByRole('button', { name: 'Delete' })).toBeFocused();
    await cardOf(page, 'Gone').getByRole('button', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Delete invitation' }).click();
    await expectToast(page, 'Upload invitation deleted successfully');
    await expect(cardOf(page, 'Gone')).toHaveCount(0);
    expect(await isOpen(member, gone)).toBe(false);
  });
  await test.step('one that was deleted in another window', async () => {
    await member.client.call(deleteInvitation, { params: { id: kept.id } });
    await active.click();
    await expectToast(page, 'Error', '404: This invitation link is invalid, expired, or has been disabled.');
    await expect(page.getByRole('heading', { name: 'No upload invitations yet' })).toBeVisible();
  });
});

test('an invitation is edited in the same form; its end changes only if requested', { tag: '@all' }, async ({
  member,
  memberPage: page,
}) => {
  const before = await invite(member, 'Pictures', { maxFileSize: 1.5 * GIB, expirationDays: 3 });
  await openInvitations(page);
  await cardOf(page, 'Pictures').getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('dialog', { name: 'Edit upload invitation' });
  await expect(form.getByRole('button', { name: 'Save changes' })).toBeDisabled();
  await expect(form.getByLabel('Max file size')).toHaveValue('1.5GB');
  await form.getByLabel('Title').fill('Portraits');
  await expect(form.getByRole('button', { name: 'Save changes' })).toBeEnabled();

  await test.step('Escape asks before the change is lost', async () => {
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
  });
  await form.getByLabel('Max file size').fill('');
  await submit(form, 'Save changes');
  await expectToast(page, 'Changes saved', 'Visitors see them from now on.');
  await expectFact(cardOf(page, 'Portraits'), 'Max File Size', '50 GB');
  const [edited] = await member.client.call(listInvitations);
  expect(edited).toMatchObject({ title: 'Portraits', hasOwnFileSize: false, expiresAt: before.expiresAt });

  await cardOf(page, 'Portraits').getByRole('button', { name: 'Edit' }).click();
  await form.getByLabel('Expiration in days').fill('90');
  await submit(form, 'Save changes');
  await expect(form).toBeHidden();
  const [extended] = await member.client.call(listInvitations);
  expect(Date.parse(extended!.expiresAt)).toBeGreaterThan(Date.parse(before.expiresAt));
});

test('a refused invitation shows the server’s message and keeps the form', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  await openInvitations(page);
  await page.getByRole('button', { name: 'Create Invitation' }).click();
  const form = page.getByRole('dialog', { name: 'Create upload invitation' });
  await form.getByLabel('Title').fill('Studio pictures');
  await page.route('**/api/upload-invitations', (route) =>
    route.fulfill({ status: 409, body: 'You have 200 upload invitations.' }),
  );
  await submit(form, 'Create Invitation');
  await expectToast(page, 'Error', '409: You have 200 upload invitations.');
  await page.unroute('**/api/upload-invitations');
  await expect(form.getByLabel('Title')).toHaveValue('Studio pictures');
  await submit(form, 'Create Invitation');
  await closeLink(page);
  await expect(cardOf(page, 'Studio pictures')).toBeVisible();
});

test('invitations can be created, switched and deleted by keyboard, and the focus returns', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  await openInvitations(page);
  const create = page.getByRole('button', { name: 'Create Invitation' });
  await create.press('Enter');
  await expect(page.getByLabel('Title')).toBeFocused();
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Copy Link' })).toBeFocused();
  await closeLink(page);
  const card = cardOf(page, 'By keyboard');
  await expect(card).toBeVisible();
  await expect(create).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(card.getByRole('switch', { name: 'Active' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(card.getByText('Disabled', { exact: true })).toBeVisible();
  await expect(card.getByRole('switch', { name: 'Active' })).toBeFocused();
  await card.getByRole('button', { name: 'Delete' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.getByRole('button', { name: 'Delete invitation' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'No upload invitations yet' })).toBeVisible();
  await expect(create).toBeFocused();
});

function limitsOf(form: Locator): Locator {
  return form.locator('summary');
}

/** Whether the invitation accepts visitors. */
async function isOpen({ client }: Member, { token }: Invitation): Promise<boolean> {
  const { status } = await client.fetch(`/api/upload-invitations/${token}/details`);
  return status === 200;
}
