import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { TOTP } from 'otpauth';
import { expect, test, vi } from 'vitest';
import { beginTotp, confirmTotp } from '../../../contracts/accounts/sign-in/factors.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { PASSWORD } from '../../../e2e/actions/people.ts';
import { queryClient } from '../../api/query-client.ts';
import { renderAsMember, screen, waitFor } from '../../testing/render-page.tsx';
import { SignInAgain } from './sign-in-again.tsx';

test('somebody with a second factor can sign in again without leaving the upload', async () => {
  const { user, member } = await renderAsMember(PAGES.settings);
  const { secret } = await member.client.call(beginTotp);
  const code = new TOTP({ secret }).generate();
  const { recoveryCodes = [] } = await member.client.call(confirmTotp, { body: { code } });
  const onSignedIn = vi.fn();
  render(
    <QueryClientProvider client={queryClient}>
      <SignInAgain onSignedIn={onSignedIn} />
    </QueryClientProvider>,
  );
  await user.type(await screen.findByLabelText(`Password of ${member.username}`), PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Sign in and continue' }));
  await user.click(await screen.findByRole('button', { name: 'Use a recovery code' }));
  await user.type(screen.getByLabelText('Recovery code'), recoveryCodes[0]!);
  expect(onSignedIn).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await waitFor(() => expect(onSignedIn).toHaveBeenCalledOnce());
});

test('somebody without a password can sign in in a new tab', async () => {
  await renderAsMember(PAGES.settings);
  render(
    <QueryClientProvider client={queryClient}>
      <SignInAgain onSignedIn={() => {}} />
    </QueryClientProvider>,
  );
  const link = await screen.findByRole('link', { name: 'Sign in another way' });
  expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual([PAGES.auth, '_blank']);
});
