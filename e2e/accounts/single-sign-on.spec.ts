import type { Browser, BrowserContext, Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { beginTotp, confirmTotp } from '../../contracts/accounts/sign-in/factors.ts';
import { createIdentityProvider, updateIdentityProvider } from '../../contracts/admin/identity-providers.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { SECOND_MS } from '../../contracts/values/durations.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import {
  createAdmin,
  createMember,
  fillSignIn,
  inventPerson,
  type Member,
  PASSWORD,
  signIn,
} from '../actions/people.ts';
import { CertifiedProvider, CLIENT } from '../servers/certified-provider.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

type Stage = { server: JourneyServer; provider: CertifiedProvider; admin: Member };

const NAME = 'Nordlicht';

async function openStage(server: JourneyServer): Promise<Stage> {
  return { server, provider: await CertifiedProvider.start(server), admin: await createAdmin(server) };
}

function addProvider({ provider, admin }: Stage, settings: { mayCreateAccounts?: boolean } = {}) {
  const body = { issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: NAME };
  return admin.client.call(createIdentityProvider, { body: { ...body, ...settings } });
}

/** A browser of its own, in which nobody is signed in. */
async function openBrowser(browser: Browser, { url }: JourneyServer, member?: Member) {
  const context: BrowserContext = await browser.newContext({ baseURL: url });
  if (member) await signIn(context, member);
  return context.newPage();
}

async function signInAtProvider(page: Page, email: string): Promise<void> {
  await page.getByLabel('Work email').fill(email);
  await page.getByRole('button', { name: 'Sign in at Nordlicht' }).click();
}

/** When everybody last proved who they are: long ago, or now. */
function setConfirmed(server: JourneyServer, at: number): void {
  server.withDatabase((database) => database.prepare('UPDATE sessions SET "authenticatedAt" = ?').run(at));
}

test('an administrator adds a provider, and a new person gets an account with it', { tag: '@all' }, async ({
  ownServer: server,
  browser,
}) => {
  test.setTimeout(180_000);
  const { provider, admin } = await openStage(server);
  await test.step('without providers, the sign-in page has no divider', async () => {
    const page = await openBrowser(browser, server);
    await page.goto(PAGES.auth, { waitUntil: 'networkidle' });
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Sign-in providers' })).toHaveCount(0);
    await page.context().close();
  });
  await test.step('the administrator adds the provider', async () => {
    const page = await openBrowser(browser, server, admin);
    await page.goto(PAGES.adminSingleSignOn);
    await expect(page.getByText(`${server.url}/api/sign-in/sso/callback`)).toBeVisible();
    await expectAccessible(page, 'no providers');
    await page.getByRole('button', { name: 'Add provider' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a sign-in provider' });
    await dialog.getByLabel('Issuer').fill(provider.issuer);
    await dialog.getByRole('button', { name: 'Test the issuer' }).click();
    await expect(dialog.getByText('The provider answers and can be used.')).toBeVisible();
    await dialog.getByLabel('Client ID').fill(CLIENT.id);
    await dialog.getByLabel('Client secret').fill(CLIENT.secret);
    await dialog.getByLabel('Name on the button').fill(NAME);
    await dialog.getByLabel('Email domains').fill('example.org');
    await dialog.getByLabel('Creates accounts').check();
    await expectAccessible(page, 'the form of a provider');
    await dialog.getByRole('button', { name: 'Add provider' }).click();
    await expect(page.getByRole('heading', { name: NAME, exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Check now: example.org' }).click();
    await expect(page.getByText(/^Checked on /)).toBeVisible();
    await expectAccessible(page, 'a provider');
    await page.context().close();
  });
  const { email } = inventPerson();
  const page = await openBrowser(browser, server);
  await test.step('a new person signs in and lands where they wanted to go', async () => {
    await page.goto(PAGES.settingsSecurity);
    await expect(page.getByRole('button', { name: `Continue with ${NAME}` })).toBeVisible();
    await expectAccessible(page, 'sign-in with a provider');
    await page.getByRole('button', { name: `Continue with ${NAME}` }).click();
    await signInAtProvider(page, email);
    await expect(page).toHaveURL(server.url + PAGES.settingsSecurity);
    await expect(page.getByRole('list', { name: 'Sign-in providers' }).getByText(email)).toBeVisible();
    await expectAccessible(page, 'a linked provider');
  });
  await test.step('the only way to sign in cannot be unlinked', async () => {
    await page.getByRole('button', { name: `Unlink ${NAME}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink' }).click();
    await expect(page.getByText(/This is your only way to sign in/).first()).toBeVisible();
  });
  await test.step('a sensitive action is confirmed at the provider', async () => {
    setConfirmed(server, 1);
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const dialog = page.getByRole('dialog', { name: "Confirm it's you" });
    await expect(dialog.getByText(/come back to this page/)).toBeVisible();
    await expectAccessible(page, 'confirming at a provider');
    await dialog.getByRole('button', { name: `Confirm with ${NAME}` }).click();
    await signInAtProvider(page, email);
    await expect(page).toHaveURL(server.url + PAGES.settingsSecurity);
    await expect(page.getByText(/Please repeat what you wanted to do\./).first()).toBeVisible();
    await page.getByRole('button', { name: 'Set up an app' }).click();
    await expect(page.getByRole('dialog', { name: 'Set up an authenticator app' })).toBeVisible();
    await page.keyboard.press('Escape');
  });
  await test.step('signing out signs out at the provider, and does not lead back into it', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(PAGES.dashboard);
    await page.getByRole('button', { name: 'Logout' }).first().click();
    await page.getByRole('button', { name: /yes/i }).click();
    await expect(page.getByText('Sign in to your account to continue')).toBeVisible();
    await page.getByRole('button', { name: `Continue with ${NAME}` }).click();
    await expect(page.getByLabel('Work email')).toBeVisible();
  });
  provider.stop();
});

test('a person with a password links a provider, and a second factor is asked for after it', {
  tag: '@all',
}, async ({ ownServer: server, browser }) => {
  test.setTimeout(120_000);
  const stage = await openStage(server);
  const { provider } = stage;
  await addProvider(stage);
  const member = await createMember(server, 'premium');
  const page = await openBrowser(browser, server);
  const { email } = member;
  await test.step('before, the provider is refused with a way forward', async () => {
    await page.goto(PAGES.auth);
    await page.getByRole('button', { name: `Continue with ${NAME}` }).click();
    await signInAtProvider(page, email);
    await expect(page.getByRole('alert')).toContainText('An account with this email address exists.');
    await expectAccessible(page, 'a refused sign-in');
    await fillSignIn(page, member.username, PASSWORD);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await expect(page).toHaveURL(`${server.url}${PAGES.settingsSecurity}#sign-in-providers`);
  });
  await test.step('linking asks who they are, and says that it worked', async () => {
    setConfirmed(server, 1);
    await page.getByRole('button', { name: `Link ${NAME}` }).click();
    const dialog = page.getByRole('dialog', { name: "Confirm it's you" });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    // The session at the provider goes on.
    await expect(page.getByText(`You can now sign in with ${NAME}.`).first()).toBeVisible();
    await expect(page).toHaveURL(server.url + PAGES.settingsSecurity);
    await expect(page.getByRole('button', { name: `Unlink ${NAME}` })).toBeVisible();
  });
  setConfirmed(server, Date.now());
  const { secret } = await member.client.call(beginTotp);
  const totp = new TOTP({ secret });
  await member.client.call(confirmTotp, { body: { code: totp.generate() } });
  await test.step('the second factor is asked for after the provider', async () => {
    const other = await openBrowser(browser, server);
    await other.goto(`${PAGES.auth}?next=${encodeURIComponent(PAGES.invitations)}`);
    await other.getByRole('button', { name: `Continue with ${NAME}` }).click();
    await signInAtProvider(other, email);
    await expect(other.getByRole('heading', { name: "Confirm it's you" })).toBeVisible();
    await expectAccessible(other, 'the second factor after a provider');
    // Each time step is accepted once, and the next one already counts.
    const code = totp.generate({ timestamp: Date.now() + 30 * SECOND_MS });
    await other.getByLabel('Code of your authenticator app').fill(code);
    await expect(other).toHaveURL(server.url + PAGES.invitations);
  });
  provider.stop();
});

test('outcomes of a visit to a provider are said in one sentence', { tag: '@all' }, async ({
  ownServer: server,
  browser,
}) => {
  test.setTimeout(120_000);
  const stage = await openStage(server);
  const { provider, admin } = stage;
  const { id } = await addProvider(stage);
  const member = await createMember(server, 'free');
  const page = await openBrowser(browser, server);
  const alert = page.getByRole('alert');
  await test.step('canceled there', async () => {
    await page.goto(PAGES.auth);
    await page.getByRole('button', { name: `Continue with ${NAME}` }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(alert).toHaveText(`The sign-in with ${NAME} was canceled.`);
    await expectAccessible(page, 'a canceled sign-in');
  });
  await test.step('no account, and the provider creates none', async () => {
    await page.getByRole('button', { name: `Continue with ${NAME}` }).click();
    await signInAtProvider(page, inventPerson().email);
    await expect(alert).toContainText('There is no account for you here yet.');
  });
  await test.step('a domain that requires the provider', async () => {
    await admin.client.call(updateIdentityProvider, {
      params: { id },
      body: { domains: ['example.org'], isRequiredForDomains: true },
    });
    await page.goto(PAGES.auth);
    await fillSignIn(page, member.username, PASSWORD);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await expect(page.getByText(`Accounts with this email address sign in with ${NAME}.`)).toBeVisible();
    await expectAccessible(page, 'a required provider');
    await page.getByRole('button', { name: 'Back' }).click();
    await expect(page.getByLabel('Username')).toBeVisible();
  });
  await test.step('a provider that is down; administrators still get in', async () => {
    provider.stop();
    await fillSignIn(page, admin.username, PASSWORD);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await expect(page).toHaveURL(server.url + PAGES.dashboard);
  });
});
