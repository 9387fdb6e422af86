import type { Locator, Page } from '@playwright/test';
import { getTransfer, updateTransfer } from '../../contracts/transfers/transfers.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { PAGES, transferPage } from '../../contracts/values/addresses/pages.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { seedFiles } from '../actions/transfers.ts';
import { expectToast } from '../actions/uploads.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

const NOTE = [{ fileName: 'note.txt', bytes: Buffer.from('note') }];

test.describe('on the pro plan', () => {
  test.use({ tier: 'pro' });

  test('every setting can be changed', async ({ member, memberPage: page }) => {
    const settings = { title: 'Draft', recipientEmails: ['rex@example.org'], password: 'sesame' };
    const { id } = await sendTransfer(member.client, NOTE, settings);
    const form = await openEdit(page, id);
    await expect(form.getByRole('button', { name: 'Save changes' })).toBeDisabled();
    await form.getByLabel('Title').fill('Final');
    await form.getByLabel('Message').fill('At last.');
    await form.getByLabel('Recipient e-mails').fill('vera@example.org,');
    await form.getByLabel('Expires').selectOption('In days from now');
    await form.getByLabel('Days from now').fill('7');
    await form.getByLabel('New password').fill('open it');
    await form.getByLabel('Download limit').fill('5');
    await form.getByRole('switch', { name: 'Auto-delete' }).check();
    await expect(form.getByLabel('Schedule time')).toBeDisabled();
    const day = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10);
    await form.getByLabel('Schedule date').fill(day);
    await form.getByLabel('Schedule time').fill('09:30');
    await form.getByRole('button', { name: 'Save changes' }).click();

    await expectToast(page, 'Changes saved');
    await expect(page.getByRole('heading', { name: 'Final' })).toBeVisible();
    await expect(page.getByText('At last.')).toBeVisible();
    await expect(page.getByText('Expires in 7 days')).toBeVisible();
    await expect(page.getByText('At most 5 downloads, then it is deleted')).toBeVisible();
    await expect(page.getByText(/^Available from .*9:30 AM/)).toBeVisible();
    const rows = page.getByRole('table').getByRole('rowheader');
    await expect(rows).toHaveText(['rex@example.org', 'vera@example.org']);
  });

  test('only changed settings are sent, and emptied ones are removed', { tag: '@all' }, async ({
    member,
    memberPage: page,
  }) => {
    const settings = { title: 'Draft', password: 'sesame', maxDownloads: 3, autoDeleteAfterDownloads: true };
    const { id, token } = await sendTransfer(member.client, NOTE, settings);
    const form = await openEdit(page, id);
    await form.getByLabel('Title').fill('');
    await form.getByLabel('Download limit').fill('');
    await form.getByRole('checkbox', { name: 'Remove the password' }).check();
    await expect(form.getByLabel('New password')).toBeDisabled();
    const sent = page.waitForRequest((request) => request.method() === updateTransfer.method);
    await form.getByRole('button', { name: 'Save changes' }).click();
    expect((await sent).postDataJSON()).toEqual({
      title: null,
      password: null,
      maxDownloads: null,
      autoDeleteAfterDownloads: false,
    });
    await expectToast(page, 'Changes saved');
    await page.goto(sharePath(token));
    await expect(page.getByRole('link', { name: 'note.txt' })).toBeVisible();
  });

  test('errors are shown at their fields, from the page and from the server', {
    tag: '@all',
  }, async ({ server, member, memberPage: page }) => {
    const { id } = await sendTransfer(member.client, NOTE, { title: 'Draft' });
    const form = await openEdit(page, id);
    await form.getByLabel('Recipient e-mails').fill('nobody,');
    await form.getByLabel('Expires').selectOption('In days from now');
    await form.getByLabel('Days from now').fill('31');
    await form.getByLabel('Password').first().fill('abc');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expect(form.getByText('Please choose 1 to 30 days.')).toBeVisible();
    await expect(form.getByText('Please use at least 4 characters.')).toBeVisible();
    await expect(form.getByText('Please enter a valid email address: “nobody” has no @.')).toBeVisible();
    await expectAccessible(page, 'editing, with mistakes');

    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await form.getByLabel('Download limit').fill('2');
    // The page doesn't know this yet.
    server.withDatabase((database) =>
      database.prepare('UPDATE transfers SET downloadCount = 4 WHERE id = ?').run(id),
    );
    await form.getByRole('button', { name: 'Save changes' }).click();
    const limit = form.getByLabel('Download limit');
    await expect(
      form.getByText('There have already been 4 downloads. The limit cannot be lower.'),
    ).toBeVisible();
    await expect(limit).toBeFocused();
    await expect(limit).toHaveAttribute('aria-invalid', 'true');
  });

  test('changes are not lost by Escape, Back or the keyboard', { tag: '@all' }, async ({
    member,
    memberPage: page,
  }) => {
    await sendTransfer(member.client, NOTE, { title: 'Draft' });
    await page.goto('/dashboard');
    await page.getByRole('link', { name: 'View Details' }).click();
    await page.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    const form = page.getByRole('form', { name: 'Edit transfer' });
    await form.getByLabel('Title').focus();
    await page.keyboard.type(' two');
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    await expect(question.getByRole('button', { name: 'Keep editing' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(form.getByLabel('Title')).toHaveValue(/two/);
    await expect(form.getByLabel('Title')).toBeFocused();

    await page.evaluate('history.back()');
    await expect(question).toBeVisible();
    await question.getByRole('button', { name: 'Stay' }).click();
    await expect(question).toBeHidden();
    await expect(form.getByLabel('Title')).toHaveValue(/two/);
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await expect(form).toBeHidden();
    await expect(page.getByRole('button', { name: 'Edit' })).toBeFocused();
    await expect(page.getByRole('heading', { name: 'Draft' })).toBeVisible();
  });

  test('the expiry can be extended to the plan’s maximum', { tag: '@all' }, async ({
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, NOTE, { expirationDays: 2 });
    await page.goto(transferPage(id));
    await page.getByRole('button', { name: 'Extend' }).click();
    const dialog = page.getByRole('dialog', { name: 'Extend transfer' });
    await expect(dialog.getByLabel('Days from now')).toHaveValue('30');
    await expectAccessible(page, 'extending');
    await dialog.getByLabel('Days from now').fill('31');
    await dialog.getByRole('button', { name: 'Extend' }).click();
    await expect(dialog.getByText('Please choose 1 to 30 days.')).toBeVisible();
    await dialog.getByLabel('Days from now').fill('30');
    await dialog.getByRole('button', { name: 'Extend' }).click();
    await expectToast(page, 'Transfer extended');
    await expect(page.getByText('Expires in 30 days')).toBeVisible();
  });

  test('an expired transfer is reopened for everyone', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
    visitorPage: recipient,
  }) => {
    const { id, token } = await sendTransfer(member.client, NOTE, { title: 'Milk' });
    expire(server, id);
    await page.goto(transferPage(id));
    await expect(page.getByText('Expired', { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Resend Email' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click();
    await expectToast(page, 'Transfer reopened');
    await expect(page.getByText('Expires in 30 days')).toBeVisible();
    await recipient.goto(sharePath(token));
    await expect(recipient.getByRole('link', { name: 'note.txt' })).toBeVisible();
  });

  test('Back leads to a list that shows the changes', { tag: '@all' }, async ({
    member,
    memberPage: page,
  }) => {
    await sendTransfer(member.client, NOTE, { title: 'Draft' });
    await page.goto('/dashboard');
    await page.getByRole('link', { name: 'View Details' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('form', { name: 'Edit transfer' });
    await form.getByLabel('Title').fill('Final');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expectToast(page, 'Changes saved');
    await page.goBack();
    await expect(page.getByRole('article', { name: 'Final' })).toBeVisible();
  });

  test('more files are added on the upload page', { tag: '@all' }, async ({ member, memberPage: page }) => {
    const { id } = await sendTransfer(member.client, NOTE);
    await page.goto(transferPage(id));
    await expect(page.getByRole('link', { name: 'Add files' })).toHaveAttribute(
      'href',
      `${PAGES.upload}?to=${id}`,
    );
  });
});

test.describe('on the free plan', () => {
  test.use({ tier: 'free' });

  test('settings outside the plan are labeled and disabled', { tag: '@all' }, async ({
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, NOTE, { title: 'Draft' });
    const form = await openEdit(page, id);
    await expect(form.getByText('Pro Feature')).toHaveCount(4);
    for (const label of ['Password', 'Download limit', 'Schedule date', 'Schedule time'])
      await expect(form.getByLabel(label, { exact: true })).toBeDisabled();
    await expect(form.getByRole('switch', { name: 'Auto-delete' })).toBeDisabled();
    await expect(form.getByRole('checkbox', { name: /^Remove/ })).toHaveCount(0);
    await expectAccessible(page, 'editing on the free plan');
    await form.getByLabel('Title').fill('Final');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expectToast(page, 'Changes saved');
    await page.getByRole('button', { name: 'Extend' }).click();
    await expect(page.getByRole('dialog').getByText('At most 3 on the Free plan.')).toBeVisible();
  });

  test('settings from an earlier plan can be changed and removed', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    setTier(server, member.username, 'pro');
    const { id } = await sendTransfer(member.client, NOTE, {
      password: 'sesame',
      maxDownloads: 5,
      autoDeleteAfterDownloads: true,
      scheduledAvailableAt: new Date(Date.now() + DAY_MS).toISOString(),
    });
    setTier(server, member.username, 'free');
    const form = await openEdit(page, id);
    await form.getByLabel('New password').fill('another');
    await form.getByLabel('Download limit').fill('7');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expectToast(page, 'Changes saved');
    expect(await member.client.call(getTransfer, { params: { id } })).toMatchObject({ maxDownloads: 7 });
    const again = await openEdit(page, id);
    await again.getByRole('checkbox', { name: 'Remove the password' }).check();
    await again.getByLabel('Download limit').fill('');
    await again.getByLabel('Schedule date').fill('');
    await again.getByRole('button', { name: 'Save changes' }).click();
    await expectToast(page, 'Changes saved');
    expect(await member.client.call(getTransfer, { params: { id } })).toMatchObject({
      isPasswordProtected: false,
      maxDownloads: null,
      autoDeleteAfterDownloads: false,
      scheduledAvailableAt: null,
    });
  });
});

test.describe('on the premium plan', () => {
  test('a transfer can expire on an exact date within 90 days', { tag: '@all' }, async ({
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, NOTE);
    const form = await openEdit(page, id);
    await form.getByLabel('Expires').selectOption('At a date and time');
    await form.getByLabel('Expiry date').fill(new Date(Date.now() + 60 * DAY_MS).toISOString().slice(0, 10));
    await form.getByLabel('Expiry time').fill('');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expect(form.getByText('Please choose a time.')).toBeVisible();
    await form.getByLabel('Expiry time').fill('18:45');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expectToast(page, 'Changes saved');
    await expect(page.getByRole('term').filter({ hasText: 'Expires at 6:45 PM' })).toBeVisible();
  });

  test('5,000 files are shown without rendering 5,000 rows', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, NOTE, { title: 'Archive' });
    seedFiles(server, id, 5_000);
    await page.goto(transferPage(id));
    const files = page.getByRole('region', { name: 'Files' });
    await expect(files).toContainText('file-00001.bin');
    expect(await files.getByRole('listitem').count()).toBeLessThan(60);
    // The end moves while further pages of the list load.
    await expect(async () => {
      await files.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await expect(files).toContainText('note.txt', { timeout: 1_000 });
    }).toPass();
    expect(await page.locator('*').count()).toBeLessThan(1_500);
  });
});

async function openEdit(page: Page, id: string): Promise<Locator> {
  await page.goto(transferPage(id));
  await page.getByRole('button', { name: 'Edit' }).click();
  return page.getByRole('form', { name: 'Edit transfer' });
}

function expire(server: JourneyServer, id: string): void {
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET expiresAt = ? WHERE id = ?').run(Date.now() - DAY_MS, id),
  );
}

function setTier(server: JourneyServer, username: string, tier: string): void {
  server.withDatabase((database) =>
    database.prepare('UPDATE users SET tier = ? WHERE username = ?').run(tier, username),
  );
}
