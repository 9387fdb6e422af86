import type { CDPSession, Page } from '@playwright/test';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createMember, fillSignIn, PASSWORD, signIn } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';
import { type JourneyServer, startJourneyServer } from '../servers/journey-server.ts';

/** Passkeys belong to a host name: browsers refuse them at an IP address. */
const startAtHostName = () => startJourneyServer({}, { host: 'localhost' });

/** A device of the person that unlocks by itself, with a password manager that syncs. */
async function plugInDevice(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  });
  return { cdp, authenticatorId };
}

/** Without it, the device answers the offer in the username field at once, as if the person had picked the passkey. */
const setPresence = (cdp: CDPSession, authenticatorId: string, enabled: boolean) =>
  cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });

function forgetConfirmations(server: JourneyServer): void {
  server.withDatabase((database) => database.exec('UPDATE sessions SET "authenticatedAt" = 1'));
}

test('a passkey is added, signs in by button and by suggestion, is the second step, confirms, and is removed', async ({
  browser,
}) => {
  test.slow();
  const server = await startAtHostName();
  const context = await browser.newContext({ baseURL: server.url });
  try {
    const member = await createMember(server, 'premium');
    await signIn(context, member);
    const page = await context.newPage();
    const { cdp, authenticatorId } = await plugInDevice(page);

    await test.step('adding it shows recovery codes once, and lists it', async () => {
      await page.goto(PAGES.settingsSecurity);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      const saving = page.getByRole('dialog', { name: 'Save your recovery codes' });
      await expect(saving.getByRole('listitem')).toHaveCount(10);
      await saving.getByRole('button', { name: 'I have saved them' }).click();
      const row = page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');
      await expect(row).toContainText('Chrome on Linux');
      await expect(row).toContainText('Synced');
      await expect(row).toContainText('Never used');
      await expect(page.getByText('10 codes left')).toBeVisible();
      await expectAccessible(page, 'security settings with a passkey');
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
      expect(credentials.map(({ isResidentCredential, rpId }) => [isResidentCredential, rpId])).toEqual([
        [true, 'localhost'],
      ]);
    });

    await test.step('the same device is not added twice', async () => {
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await expectToast(
        page,
        'Not added',
        'This device or password manager already has a passkey of your account.',
      );
    });

    await test.step('it is renamed', async () => {
      await page.getByRole('button', { name: 'Rename Chrome on Linux' }).click();
      const dialog = page.getByRole('dialog', { name: 'Rename the passkey' });
      await dialog.getByLabel('Name').fill('Work laptop');
      await expectAccessible(page, 'renaming a passkey');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(dialog).toBeHidden();
      await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText('Work laptop');
    });

    await test.step('the button signs in with two actions: the button and the device', async () => {
      await setPresence(cdp, authenticatorId, false);
      await context.clearCookies();
      await page.goto(PAGES.auth);
      const button = page.getByRole('button', { name: 'Sign in with a passkey' });
      await expect(button).toBeVisible();
      await expectAccessible(page, 'signing in with passkeys');
      await setPresence(cdp, authenticatorId, true);
      await button.click();
      await expect(page).toHaveURL(/\/dashboard/);
    });

    await test.step('picking it among the suggestions of the field signs in', async () => {
      await context.clearCookies();
      await page.goto(PAGES.auth);
      await expect(page).toHaveURL(/\/dashboard/);
    });

    await test.step('after the password, it is the second step', async () => {
      await setPresence(cdp, authenticatorId, false);
      await context.clearCookies();
      await page.goto(PAGES.auth);
      await fillSignIn(page, member.username, PASSWORD);
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await expect(page.getByRole('heading', { name: "Confirm it's you" })).toBeVisible();
      const prompt = page.getByRole('button', { name: 'Use a passkey' });
      await expect(prompt).toBeFocused();
      await expectAccessible(page, 'the second step with a passkey');
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await expect(page.getByLabel('Recovery code')).toBeFocused();
      await setPresence(cdp, authenticatorId, true);
      await prompt.click();
      await prompt.click();
      await expect(page).toHaveURL(/\/dashboard/);
    });

    await test.step('it confirms a sensitive action, which then goes on', async () => {
      forgetConfirmations(server);
      await page.goto(PAGES.settingsSecurity);
      await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText('Last used on');
      await page.getByRole('button', { name: 'Remove Work laptop' }).click();
      const question = page.getByRole('alertdialog');
      await expectAccessible(page, 'removing a passkey');
      await question.getByRole('button', { name: 'Remove' }).click();
      const confirm = page.getByRole('dialog', { name: "Confirm it's you" });
      await expect(confirm).toBeVisible();
      await expectAccessible(page, 'the confirmation with a passkey');
      await confirm.getByRole('button', { name: 'Use a passkey' }).click();
      await expect(confirm).toBeHidden();
      await expectToast(page, 'Passkey removed');
      await expect(page.getByRole('list', { name: 'Passkeys' })).toBeHidden();
      await expect(page.getByText('codes left')).toBeHidden();
    });

    await test.step('then it signs nobody in, and the password is enough', async () => {
      await setPresence(cdp, authenticatorId, false);
      await context.clearCookies();
      await page.goto(PAGES.auth);
      await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeVisible();
      await setPresence(cdp, authenticatorId, true);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await expectToast(page, 'Login failed');
      await setPresence(cdp, authenticatorId, false);
      await fillSignIn(page, member.username, PASSWORD);
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await expect(page).toHaveURL(/\/dashboard/);
    });
  } finally {
    await context.close();
    await server.remove();
  }
});

test('where passkeys cannot work, Settings says why, and signing in does not offer them', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  await page.goto(PAGES.settingsSecurity);
  await expect(page.getByText('Passkeys need a host name')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeHidden();
  await page.context().clearCookies();
  await page.goto(PAGES.auth);
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeHidden();
});
