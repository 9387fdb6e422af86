import { invitationPath } from '../../contracts/values/addresses/links.ts';
import { expect, test } from '../actions/fixtures.ts';
import { cardOf, invite, openInvitations, submit } from '../actions/invitations.ts';

test('an expired invitation says so and is reopened by adding days', { tag: '@all' }, async ({
  member,
  memberPage: page,
  server,
}) => {
  const { id } = await invite(member, 'Over');
  server.withDatabase((database) =>
    database.prepare('UPDATE uploadInvitations SET expiresAt = ? WHERE id = ?').run(Date.now() - 1000, id),
  );
  await openInvitations(page);
  const card = cardOf(page, 'Over');
  await expect(card.getByText('Expired', { exact: true })).toBeVisible();
  await expect(card.getByRole('switch', { name: 'Active' })).not.toBeChecked();
  await expect(card.getByRole('switch', { name: 'Active' })).toBeDisabled();
  await expect(card.getByRole('button', { name: 'QR code' })).toHaveCount(0);
  await card.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Expiration in days').fill('3');
  await submit(page.getByRole('dialog'), 'Save changes');
  await expect(card.getByText('Expired', { exact: true })).toHaveCount(0);
  await expect(card.getByRole('switch', { name: 'Active' })).toBeChecked();
});

test('the link is also shown as a QR code', { tag: '@all' }, async ({ member, memberPage: page }) => {
  const { token } = await invite(member, 'Poster');
  await openInvitations(page);
  await cardOf(page, 'Poster').getByRole('button', { name: 'QR code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invitation link' });
  await expect(dialog.getByRole('img', { name: 'QR code of the invitation link' })).toBeVisible();
  await expect(dialog.getByRole('textbox', { name: 'Invitation link' })).toHaveValue(
    new RegExp(`${invitationPath(token)}$`),
  );
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as SVG' }).click();
  expect((await download).suggestedFilename()).toBe('QR code Poster.svg');
});

test('two hundred invitations are listed without widening the page', {
  tag: '@all',
}, async ({ member, memberPage: page }) => {
  const word = 'Donaudampfschifffahrt'.repeat(9);
  for (let each = 1; each <= 199; each += 1) await invite(member, `Invitation ${each}`);
  await invite(member, word, { message: word.repeat(10) });
  await page.setViewportSize({ width: 390, height: 844 });
  await openInvitations(page);
  await expect(page.getByRole('article')).toHaveCount(200);
  const newest = page.getByRole('article').first();
  await expect(newest).toContainText('Show full message');
  await newest.getByRole('button', { name: 'Show full message' }).click();
  const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
  expect(await page.evaluate(overhang)).toBeLessThanOrEqual(0);
  await cardOf(page, 'Invitation 1').getByRole('switch', { name: 'Active' }).click();
  await expect(cardOf(page, 'Invitation 1').getByText('Disabled', { exact: true })).toBeVisible();
  expect(await page.evaluate(overhang)).toBeLessThanOrEqual(0);
});
