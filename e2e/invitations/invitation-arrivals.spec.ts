import type { Locator } from '@playwright/test';
import { PAGES, transferPage } from '../../contracts/values/addresses/pages.ts';
import { expect, test } from '../actions/fixtures.ts';
import { cardOf, expectFact, invite, openInvitations } from '../actions/invitations.ts';
import { inventPerson } from '../actions/people.ts';
import { readDownload } from '../actions/sample-files.ts';
import { deliverFiles } from '../actions/uploads.ts';

test('received files are listed, marked as received in My Transfers, and downloaded by the owner', async ({
  member,
  memberPage: page,
  server,
}) => {
  const invitation = await invite(member, 'Studio pictures', { totalFilesLimit: 5 });
  await openInvitations(page);
  await cardOf(page, 'Studio pictures').getByRole('button', { name: 'Received files' }).click();
  await expect(page.getByRole('dialog')).toContainText(
    "No files yet. We'll email you as soon as some arrive.",
  );
  await page.goBack();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  const visitor = inventPerson();
  const bytes = Buffer.from('a picture of the studio');
  const id = await deliverFiles(server, {
    invitationToken: invitation.token,
    email: visitor.email,
    message: 'With best wishes',
    files: [{ fileName: 'studio.txt', bytes }],
  });
  await page.reload();
  await expectFact(cardOf(page, 'Studio pictures'), 'Files used', /^1 of 5/);
  await cardOf(page, 'Studio pictures').getByRole('button', { name: 'Received files 1' }).click();
  const arrivals = page.getByRole('list', { name: 'Received files' }).getByRole('listitem');
  await expect(arrivals).toHaveCount(1);
  await expect(arrivals).toContainText('1 file · 23 B');
  await expect(arrivals).toContainText('With best wishes');
  await arrivals.getByRole('link', { name: visitor.email }).click();

  await test.step('its own page', async () => {
    await expect(page).toHaveURL(transferPage(id));
    await expectReceived(page.getByRole('article'), visitor.email);
    await expect(page.getByRole('heading', { name: 'Recipients' })).toHaveCount(0);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download', exact: true }).click();
    expect(await readDownload(await download)).toEqual(bytes);
  });
  await test.step('Back leads to what arrived, and from there to the cards', async () => {
    await page.goBack();
    await expect(arrivals).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page).toHaveURL(PAGES.invitations);
  });
  await page.goto(PAGES.dashboard);
  await expect(page.getByRole('heading', { name: 'No transfers yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Received' }).click();
  const card = page.getByRole('article', { name: 'Studio pictures' });
  await expect(card.getByText(`From ${visitor.email}`, { exact: true })).toBeVisible();
  const download = page.waitForEvent('download');
  await card.getByRole('link', { name: 'Download' }).click();
  expect(await readDownload(await download)).toEqual(bytes);
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(card.getByRole('button', { name: /^More actions/ })).toBeInViewport({ ratio: 1 });
});

for (const tier of ['free', 'pro'] as const) {
  test.describe(tier, () => {
    test.use({ tier });
    test(`a ${tier} user has no navigation item for invitations and sees what Premium offers`, {
      tag: '@all',
    }, async ({ memberPage: page }) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await openInvitations(page);
      await expect(page.getByText('Upload invitations come with the Premium plan.')).toBeVisible();
      await expect(page.getByRole('main').getByRole('link', { name: 'Upgrade' })).toHaveAttribute(
        'href',
        '/pricing',
      );
      await expect(page.getByRole('button', { name: 'Create Invitation' })).toHaveCount(0);
      await expect(page.getByRole('link', { name: 'Upload Files' })).toBeVisible();
      await expect(page.getByRole('link', { name: 'Upload Invitations' })).toHaveCount(0);
      expect(asked).not.toContain('/api/upload-invitations');
    });
  });
}

test('a premium user finds Upload Invitations in the navigation', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  await page.goto(PAGES.dashboard);
  await page.getByRole('link', { name: 'Upload Invitations' }).click();
  await expect(page.getByRole('heading', { name: 'Upload Invitations', level: 1 })).toBeVisible();
});

test('a plan that ends while the page is open is reported', { tag: '@all' }, async ({
  member,
  memberPage: page,
  server,
}) => {
  await page.goto(PAGES.dashboard);
  await expect(page.getByText('No transfers yet')).toBeVisible();
  server.withDatabase((database) =>
    database.prepare("UPDATE users SET tier = 'free' WHERE username = ?").run(member.username),
  );
  await page.getByRole('link', { name: 'Upload Invitations' }).click();
  await expect(page.getByText('Upload invitations come with the Premium plan.')).toBeVisible();
});

async function expectReceived(article: Locator, email: string): Promise<void> {
  await expect(article.getByText('Received', { exact: true })).toBeVisible();
  await expect(article.getByText(`From ${email}`, { exact: true })).toBeVisible();
}
