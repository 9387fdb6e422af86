import { createInvitation, toggleInvitation } from '../../contracts/transfers/uploads/invitations.ts';
import { PAGES, transferPage } from '../../contracts/values/addresses/pages.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { inventPerson } from '../actions/people.ts';
import { deliverFiles } from '../actions/uploads.ts';

// Checks each state with axe.
test.describe.configure({ timeout: 180_000 });

test('upload invitations are accessible, from the empty page to received files', { tag: '@all' }, async ({
  member,
  memberPage: page,
  server,
}) => {
  await page.goto(PAGES.invitations);
  await expect(page.getByText('No upload invitations yet')).toBeVisible();
  await expectAccessible(page, 'no invitations');
  await page.getByRole('button', { name: 'Create Invitation' }).click();
  const form = page.getByRole('dialog', { name: 'Create upload invitation' });
  await form.locator('summary').click();
  await form.getByRole('switch', { name: 'Also limit the total' }).click();
  await form.getByLabel('Title').fill('');
  await form.getByRole('button', { name: 'Create Invitation' }).click();
  await expect(form.getByText('Title is required')).toBeVisible();
  await expect(form.getByText('Please enter a number of files, a size, or both')).toBeVisible();
  await expectAccessible(page, 'creating, with a mistake');
  await form.getByLabel('Title').fill('Over');
  await form.getByLabel('Files in total').fill('5');
  await form.getByRole('button', { name: 'Create Invitation' }).click();
  await expect(page.getByRole('dialog', { name: 'Invitation link' })).toBeVisible();
  await expectAccessible(page, 'a new link');
  server.withDatabase((database) =>
    database.prepare("UPDATE uploadInvitations SET expiresAt = 1 WHERE title = 'Over'").run(),
  );

  const settings = { title: 'Studio pictures', message: 'Please', allowedTypes: ['txt'] };
  const { token } = await member.client.call(createInvitation, { body: settings });
  const recurring = { title: 'Weekly', isRecurring: true };
  const { id } = await member.client.call(createInvitation, { body: recurring });
  await member.client.call(toggleInvitation, { params: { id }, body: { isActive: false } });
  const files = [{ fileName: 'a.txt', bytes: Buffer.from('a') }];
  const { email } = inventPerson();
  const transferId = await deliverFiles(server, { invitationToken: token, email, files });
  await page.goto(PAGES.invitations);
  const card = page.getByRole('article', { name: 'Studio pictures' });
  await expect(card).toBeVisible();
  await expectAccessible(page, 'the cards');
  await card.getByRole('button', { name: 'Received files' }).click();
  await expect(page.getByRole('link', { name: email })).toBeVisible();
  await expectAccessible(page, 'what arrived');
  await page.goto(transferPage(transferId));
  await expect(page.getByText('Received', { exact: true })).toBeVisible();
  await expectAccessible(page, 'a received transfer');
  await page.goto(`${PAGES.dashboard}?origin=received`);
  await expect(page.getByText(`From ${email}`)).toBeVisible();
  await expectAccessible(page, 'My Transfers with something received');
});

test.describe('without Premium', () => {
  test.use({ tier: 'pro' });
  test('the upgrade offer is accessible', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto(PAGES.invitations);
    await expect(page.getByRole('link', { name: 'Upgrade' })).toBeVisible();
    await expectAccessible(page, 'the offer');
  });
});
