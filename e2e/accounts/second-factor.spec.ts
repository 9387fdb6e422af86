import { TOTP } from 'otpauth';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { SECOND_MS } from '../../contracts/values/durations.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { fillSignIn, PASSWORD } from '../actions/people.ts';

test('an authenticator app is set up, asked for when signing in, and confirms a sensitive action', async ({
  server,
  member,
  memberPage: page,
}) => {
  await page.goto(PAGES.settingsSecurity);
  await page.getByRole('button', { name: 'Set up an app' }).click();
  const setUp = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  const secret = ((await setUp.locator('code').textContent()) ?? '').replaceAll(' ', '');
  const totp = new TOTP({ secret });
  // Each time step is accepted once, and the next one already counts.
  const codeOfStep = (step: number) => totp.generate({ timestamp: Date.now() + step * 30 * SECOND_MS });
  const [first, second] = [codeOfStep(0), codeOfStep(1)];
  await expectAccessible(page, 'setting up an app');

  await setUp.getByLabel('Code of your authenticator app').fill(first);
  const saving = page.getByRole('dialog', { name: 'Save your recovery codes' });
  await expect(saving.getByRole('listitem')).toHaveCount(10);
  // They are shown only once.
  await page.keyboard.press('Escape');
  const codes = await saving.getByRole('listitem').allTextContents();
  await expectAccessible(page, 'new recovery codes');
  await saving.getByRole('button', { name: 'I have saved them' }).click();
  await expect(page.getByText('10 codes left')).toBeVisible();
  await expectAccessible(page, 'security settings with an app');

  await test.step('signing in asks for the code, or for a recovery code', async () => {
    await page.context().clearCookies();
    await page.goto(PAGES.auth);
    await fillSignIn(page, member.username, PASSWORD);
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(page.getByRole('heading', { name: "Confirm it's you" })).toBeVisible();
    await expectAccessible(page, 'the second step');
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill('wrong-codes');
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(page.getByText('This code is incorrect or was used before.')).toBeVisible();
    await page.getByRole('button', { name: 'Use the authenticator app' }).click();
    await page.getByLabel('Code of your authenticator app').fill(second);
    await expect(page).toHaveURL(/\/dashboard/);
  });

  await test.step('a quarter of an hour later, an action asks again and then goes on', async () => {
    server.withDatabase((database) =>
      database
        .prepare(
          'UPDATE sessions SET "authenticatedAt" = 1 WHERE "userId" = (SELECT id FROM users WHERE username = ?)',
        )
        .run(member.username),
    );
    await page.goto(PAGES.settingsSecurity);
    await page.getByRole('button', { name: 'Make new codes' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Make new codes' }).click();
    const confirm = page.getByRole('dialog', { name: "Confirm it's you" });
    await expect(confirm).toBeVisible();
    await expectAccessible(page, 'the confirmation');
    await confirm.getByRole('button', { name: 'Use a recovery code' }).click();
    await confirm.getByLabel('Recovery code').fill(codes[0]!);
    await confirm.getByRole('button', { name: 'Confirm' }).click();
    await expect(confirm).toBeHidden();
    await expect(saving.getByRole('listitem')).toHaveCount(10);
    const renewed = await saving.getByRole('listitem').allTextContents();
    expect(renewed.filter((code) => codes.includes(code))).toEqual([]);
    await saving.getByRole('button', { name: 'I have saved them' }).click();
  });

  await test.step('canceling the confirmation changes nothing', async () => {
    server.withDatabase((database) => database.exec('UPDATE sessions SET "authenticatedAt" = 1'));
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    const confirm = page.getByRole('dialog', { name: "Confirm it's you" });
    await confirm.getByRole('button', { name: 'Cancel' }).click();
    await expect(confirm).toBeHidden();
    await expect(page.getByText('10 codes left')).toBeVisible();
  });
});
