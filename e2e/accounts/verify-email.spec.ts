import type { Page } from '@playwright/test';
import { verifyEmailLink, verifyEmailPath } from '../../contracts/values/addresses/links.ts';
import { expect, test } from '../actions/fixtures.ts';
import { fillRegistration, inventPerson, openRegistration, type Person } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

test('a verified address leads to the dashboard after two seconds', { tag: '@full-browser' }, async ({
  page,
  server,
}) => {
  const { email } = await openVerification(page, server);
  await expect(page.getByLabel('Verification code')).toBeFocused();
  const code = await server.findCode(email);
  await page.clock.install();
  // From here on, only the test moves the clock.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.keyboard.type(code);
  await expectToast(
    page,
    'Email verified!',
    'Your email has been successfully verified. Redirecting to dashboard...',
  );
  await page.clock.runFor(1_900);
  await expect(page).toHaveURL(verifyEmailPath(email));
  await page.clock.runFor(200);
  await page.clock.resume();
  await expect(page).toHaveURL('/dashboard');
  await page.goto('/verify-email');
  await expect(page).toHaveURL('/dashboard');
});

test('the link in the email submits the code in the browser that registered, and in no other', {
  tag: '@all',
}, async ({ page, server, visitorPage: elsewhere }) => {
  const { email } = await openVerification(page, server);
  const code = await server.findCode(email);
  await elsewhere.goto(verifyEmailLink(email, code));
  await expect(elsewhere.getByLabel('Verification code')).toHaveValue(code);
  await expect(elsewhere).toHaveURL(verifyEmailPath(email));
  await expect(elsewhere.getByRole('alert')).toContainText("This browser isn't signed in.");
  await page.goto('about:blank');
  await page.goto(verifyEmailLink(email, code));
  await expectToast(page, 'Email verified!');
  await expect(page).toHaveURL('/dashboard');
});

/** The browser has the pending cookie, as after registering. */
async function openVerification(page: Page, server: JourneyServer): Promise<Person> {
  const person = inventPerson();
  await openRegistration(page);
  await fillRegistration(page, person);
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByRole('heading', { name: 'Verify Your Email' })).toBeVisible();
  await server.findCode(person.email);
  return person;
}
