import { accountInvitationPath } from '../../contracts/values/addresses/links.ts';
import { PAGES, SIGN_UP_PATH } from '../../contracts/values/addresses/pages.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { confirm, openAsAdmin, row } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin, inventPerson, PASSWORD } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';
import { type JourneyServer, startJourneyServer } from '../servers/journey-server.ts';

/** Runs a journey on its own server with these settings. */
async function withServer(
  environment: Record<string, string>,
  run: (server: JourneyServer) => Promise<void>,
): Promise<void> {
  const server = await startJourneyServer(environment);
  try {
    await run(server);
  } finally {
    await server.remove();
  }
}

test('an administrator closes registration and invites someone, whose link creates the account', {
  tag: '@all',
}, async ({ browser, ownServer }) => {
  const context = await browser.newContext({ baseURL: ownServer.url });
  const page = await openAsAdmin(context, await createAdmin(ownServer));
  await page.goto(PAGES.adminRegistration);
  await expect(page.getByText('These values come from the environment: REGISTRATION=open')).toBeVisible();
  await page.getByRole('radio', { name: /^Certain domains/ }).check();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expect(page.getByText('Please enter at least one domain')).toBeVisible();
  await page.getByRole('radio', { name: /^Invitation only/ }).check();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expectToast(page, 'Settings saved');
  await expect(page.getByText('Saved here, overriding the environment')).toBeVisible();

  const { name, username, email } = inventPerson();
  const field = page.getByRole('textbox', { name: 'Email address' });
  await field.fill('nobody');
  await page.getByRole('button', { name: 'Invite' }).click();
  await expect(page.getByText('Please enter a valid email address')).toBeVisible();
  await field.fill(email);
  await page.getByRole('button', { name: 'Invite' }).click();
  await expectToast(page, 'Invitation sent', `A link is on its way to ${email}.`);
  await expect(row(page, 'Invitations', email)).toContainText('Open');
  await expectAccessible(page, 'registration');
  await page.setViewportSize({ width: 1280, height: 800 });

  const guest = await browser.newContext({ baseURL: ownServer.url });
  const stranger = await guest.newPage();
  await stranger.goto(SIGN_UP_PATH);
  await expect(stranger.getByText('You need an invitation to create an account.')).toBeVisible();
  await expect(stranger.getByRole('button', { name: 'Create Account' })).toHaveCount(0);

  const invited = await guest.newPage();
  await invited.goto(await ownServer.findLink(email, 'account-invitation'));
  await expect(invited.getByLabel('Email')).toHaveValue(email);
  await expect(invited.getByLabel('Email')).not.toBeEditable();
  await invited.getByLabel('Full Name').fill(name);
  await invited.getByLabel('Username').fill(username);
  await invited.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await invited.getByLabel('Confirm Password').fill(PASSWORD);
  await invited.getByRole('checkbox').check();
  await invited.getByRole('button', { name: 'Create Account' }).click();
  await expect(invited).toHaveURL(PAGES.dashboard);

  await page.reload();
  await expect(row(page, 'Invitations', email)).toContainText('Registered');
  await guest.close();
  await context.close();
});

test('a revoked invitation shows an explanation, and a closed server shows no form', { tag: '@all' }, async ({
  browser,
  ownServer,
}) => {
  const context = await browser.newContext({ baseURL: ownServer.url });
  const page = await openAsAdmin(context, await createAdmin(ownServer));
  await page.goto(PAGES.adminRegistration);
  await page.getByRole('textbox', { name: 'Email address' }).fill('rex@example.org');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('button', { name: 'Revoke the invitation of rex@example.org' }).click();
  await confirm(page, 'Revoke invitation');
  await expect(page.getByRole('heading', { name: 'No invitations yet' })).toBeVisible();
  await page.getByRole('radio', { name: /^Closed/ }).check();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expect(page.getByText('Choose another mode to invite people.')).toBeVisible();

  const guest = await browser.newContext({ baseURL: ownServer.url });
  const stranger = await guest.newPage();
  await stranger.goto(accountInvitationPath('0'.repeat(26)));
  await expect(stranger.getByText('Registration is closed here.')).toBeVisible();
  await stranger.goto(SIGN_UP_PATH);
  await expect(stranger.getByText('Sign-up is currently closed.')).toBeVisible();
  await expect(stranger.getByRole('link', { name: 'Already have an account? Sign in' })).toBeVisible();
  await guest.close();
  await context.close();
});

test('with payments off the pricing page has no checkout', { tag: '@all' }, async ({ browser }) => {
  await withServer({ PAYMENTS: 'off', PRIORITY_SUPPORT_EMAIL: 'vip@example.org' }, async (server) => {
    const context = await browser.newContext({ baseURL: server.url });
    const page = await openAsAdmin(context, await createAdmin(server));
    await page.goto(`${PAGES.pricing}?plan=pro`);
    await expect(page.getByText('Ask your administrator for this plan.')).toHaveCount(1);
    await expect(page.getByText('Plans are not for sale here. Administrators assign them.')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Subscribe/ })).toHaveCount(0);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByText('Priority support')).toBeVisible();
    await page.goto(PAGES.settingsPlan);
    await expect(page.getByText('To change your plan, ask your administrator.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'vip@example.org' })).toBeVisible();
    await context.close();
  });
});
