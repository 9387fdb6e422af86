import { expect, test } from 'vitest';
import { createSubscription } from '../../../contracts/plans/billing.ts';
import { getTierConfig } from '../../../contracts/plans/tiers.ts';
import { PAGES, SIGN_UP_PATH } from '../../../contracts/values/addresses/pages.ts';
import { createMember, inventPerson, PASSWORD } from '../../../e2e/actions/people.ts';
import {
  answerOnce,
  cutOnce,
  expectToast,
  fill,
  renderAsMember,
  renderPage,
  screen,
  server,
  waitFor,
  within,
} from '../../testing/render-page.tsx';

const NAMES = { free: 'Free', pro: 'Pro', premium: 'Premium' } as const;

test('Feature lists: what each plan adds', async () => {
  renderPage(PAGES.pricing);
  const lists = {
    Free: [
      ...['5 GB per transfer', '10 GB per month', '3 days retention'],
      ...['Email notifications', 'Basic download tracking', 'Standard file expiration'],
    ],
    Pro: [
      ...['10 GB per transfer', '100 GB per month', '30 days retention', 'Download limits up to 1,000'],
      ...['Password protection', 'Download limit controls', 'Scheduled transfers'],
      ...['Auto-delete after downloads', 'File preview and thumbnails', 'Transfer analytics dashboard'],
      ...['Download notifications', 'RESTful API access'],
    ],
    Premium: [
      ...['50 GB per transfer', '500 GB per month', '90 days retention', 'Download limits up to 1,000,000'],
      ...['Upload invitation links', 'RESTful API access', 'Custom background images'],
      // Priority support is only listed if the operator has set an address for it.
      ...['Advanced API rate limits', 'Extended analytics history', 'Higher download limits'],
    ],
  };
  for (const [name, features] of Object.entries(lists)) {
    const items = within(await findPlan(name)).getAllByRole('listitem');
    expect(items.map((each) => each.textContent?.trim())).toEqual(features);
  }
  within(await findPlan('Premium')).getByText('All Pro features, plus:');
});

test('failed plans can be loaded again', async () => {
  cutOnce(getTierConfig);
  const user = renderPage(PAGES.pricing);
  expect((await screen.findByRole('alert')).textContent).toContain("The plans couldn't be loaded.");
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(3));
});

for (const tier of ['free', 'pro', 'premium'] as const) {
  test(`buttons of the cards for a user with ${NAMES[tier]}`, async () => {
    await renderAsMember(PAGES.pricing, tier);
    await within(screen.getByRole('banner')).findByRole('link', { name: 'Dashboard' });
    const current = await screen.findByRole<HTMLButtonElement>('button', { name: 'Current Plan' });
    expect(current.disabled).toBe(true);
    expect((await findPlan(NAMES[tier])).contains(current)).toBe(true);
    for (const other of ['Pro', 'Premium'].filter((each) => each !== NAMES[tier])) {
      const name = `Subscribe to ${other}`;
      const button = within(await findPlan(other)).getByRole<HTMLButtonElement>('button', { name });
      expect(button.disabled).toBe(false);
    }
    const getStarted = within(await findPlan('Free')).queryByRole('link', { name: 'Get Started Free' });
    expect(getStarted?.getAttribute('href')).toBe(tier === 'free' ? undefined : SIGN_UP_PATH);
  });
}

test('A signed-out user is sent to /auth, and comes back to the plan they chose', async () => {
  const { username } = await createMember(server, 'free');
  const user = renderPage(PAGES.pricing);
  const getStarted = within(await findPlan('Free')).getByRole('link', { name: 'Get Started Free' });
  expect(getStarted.getAttribute('href')).toBe(SIGN_UP_PATH);
  await user.click(await screen.findByRole('button', { name: 'Subscribe to Premium' }));
  await screen.findByRole('heading', { name: 'Create Account' });
  expect(location.pathname).toBe('/auth');
  await user.click(screen.getByRole('link', { name: 'Already have an account? Sign in' }));
  await fill(user, await screen.findByLabelText('Username'), username);
  await fill(user, screen.getByLabelText('Password'), PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  const dialog = await screen.findByRole('dialog', { name: 'Complete Your Subscription' });
  expect(location.pathname).toBe(PAGES.pricing);
  expect((await within(dialog).findByTestId('price-summary')).textContent).toContain('$24.99');
});

test('A new user comes back to the plan they chose, too', async () => {
  const { name, username, email } = inventPerson();
  const user = renderPage(`${SIGN_UP_PATH}&next=${encodeURIComponent(`${PAGES.pricing}?plan=pro`)}`);
  const values = { 'Full Name': name, Username: username, Email: email, Password: PASSWORD };
  for (const [label, value] of Object.entries({ ...values, 'Confirm Password': PASSWORD }))
    await fill(user, await screen.findByLabelText(label), value);
  await user.click(screen.getByRole('checkbox'));
  await user.click(screen.getByRole('button', { name: 'Create Account' }));
  await user.type(await screen.findByLabelText('Verification code'), await server.findCode(email));
  await screen.findByRole('dialog', { name: 'Complete Your Subscription' });
  expect(location.pathname).toBe(PAGES.pricing);
});

test('Subscription start failure: the server’s message, or ours without one', async () => {
  const { user } = await renderAsMember(PAGES.pricing, 'free');
  answerOnce(createSubscription, { status: 503, body: 'The payment provider does not answer.' });
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Subscribe to Pro' });
  const waitForIdle = () =>
    waitFor(() => expect([button.disabled, button.getAttribute('aria-busy')]).toEqual([false, null]));
  await user.click(button);
  await expectToast('Error', '503: The payment provider does not answer.');
  expect(screen.queryByRole('dialog')).toBeNull();
  cutOnce(createSubscription);
  await waitForIdle();
  await user.click(button);
  await expectToast('Error', 'Failed to initiate subscription');
  await waitForIdle();
  await user.click(button);
  await screen.findByRole('dialog');
});

test('invalid card fields show errors before anything is sent', async () => {
  const { user } = await renderAsMember(PAGES.pricing, 'free');
  await user.click(await screen.findByRole('button', { name: 'Subscribe to Pro' }));
  const dialog = within(await screen.findByRole('dialog'));
  const number = await dialog.findByLabelText<HTMLInputElement>('Card number');
  await user.type(number, '4242424242424243');
  expect(number.value).toBe('4242 4242 4242 4243');
  await user.type(dialog.getByLabelText('Expiry'), '120');
  await user.type(dialog.getByLabelText('CVC'), '1');
  await user.click(dialog.getByRole('button', { name: 'Subscribe Now' }));
  await dialog.findByText('This card number is incorrect. Please check it.');
  dialog.getByText('Please enter the month and year, such as 12/30');
  dialog.getByText('Please enter the 3 or 4 digits');
  expect(document.activeElement).toBe(number);
  for (const [label, complete] of [
    ['Card number', 'cc-number'],
    ['Expiry', 'cc-exp'],
    ['CVC', 'cc-csc'],
  ] as const) {
    expect(dialog.getByLabelText(label).getAttribute('autocomplete')).toBe(complete);
    expect(dialog.getByLabelText(label).getAttribute('inputmode')).toBe('numeric');
  }
});

function findPlan(name: string): Promise<HTMLElement> {
  return screen.findByRole('article', { name });
}
