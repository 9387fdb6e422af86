import { usePageTitle } from '../../lib/browser/page-title.ts';
import { AccountFrame } from './account-frame.tsx';
import { NewPasswordForm } from './new-password-form.tsx';
import { ResetRequestForm } from './reset-request-form.tsx';
import { useLinkToken } from './use-link-token.ts';

/** Asks for the address that a link goes to; opened by that link, for the new password. */
export function ResetPasswordPage() {
  usePageTitle('Reset Your Password');
  const { token, opened } = useLinkToken();
  return (
    <AccountFrame align="left">
      {token ? <NewPasswordForm key={opened} token={token} /> : <ResetRequestForm />}
    </AccountFrame>
  );
}
