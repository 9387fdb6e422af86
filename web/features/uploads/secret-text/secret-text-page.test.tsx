import { expect, test } from 'vitest';
import { SECRET_TEXT_MAX } from '../../../../contracts/plans/limits.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { fill, renderAsMember, screen } from '../../../testing/render-page.tsx';

test('the free plan says which plan has secret texts', async () => {
  await renderAsMember(PAGES.secretText, 'free');
  await screen.findByText('Secret texts have a download limit, which comes with the Pro plan.');
  expect(screen.queryByLabelText('Text')).toBeNull();
});

test('what cannot be sent is said at its field', async () => {
  const { user } = await renderAsMember(PAGES.secretText, 'pro');
  const text = await screen.findByLabelText('Text');
  const create = screen.getByRole('button', { name: 'Create link' });
  await user.click(create);
  await screen.findByText('Please enter a text.');
  await user.click(text);
  await user.paste('x'.repeat(SECRET_TEXT_MAX + 2));
  await fill(user, screen.getByLabelText('How many times it can be opened'), '1001');
  await fill(user, screen.getByLabelText('Expiration days'), '31');
  await user.click(create);
  await screen.findByText('The text is 2 characters too long. Send it as a file instead.');
  await screen.findByText('Your plan allows a download limit of at most 1,000.');
  await screen.findByText('Please choose 1 to 30 days.');
});
