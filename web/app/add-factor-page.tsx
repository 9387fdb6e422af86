import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ShieldCheck } from 'lucide-react';
import { useLocation } from 'wouter';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { logout, refreshSession } from '../api/session/session.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/actions/button.tsx';
import { AccountFrame } from '../features/accounts/account-frame.tsx';
import { AuthenticatorSection } from '../features/settings/security/authenticator-section.tsx';
import { useHasSecondFactor } from '../features/settings/security/factor-queries.ts';
import { PasskeysSection } from '../features/settings/security/passkeys-section.tsx';
import { usePageTitle } from '../lib/browser/page-title.ts';
import { StepUpDialog } from '../signing-in/step-up-dialog.tsx';

/** Replaces all pages of a user who must have a second factor and has none. */
export function AddFactorPage() {
  usePageTitle(t`Set up a second factor`);
  const [, navigate] = useLocation();
  const hasFactor = useHasSecondFactor();
  const leave = useAction(logout, {
    onSuccess: () => navigate(PAGES.auth),
    failure: t`Logout failed`,
  });
  const next = useAction(refreshSession);
  return (
    <AccountFrame align="left">
      <ShieldCheck aria-hidden="true" strokeWidth={1.5} className="size-12 text-accent-ink" />
      <h1 className="mt-6 text-4xl">
        <Trans>Set up a second factor</Trans>
      </h1>
      <p className="mt-3 mb-10 text-ink-soft">
        <Trans>
          Your administrator asks for more than a password, so that nobody else can sign in to your account.
          It takes a minute.
        </Trans>
      </p>
      <PasskeysSection />
      <AuthenticatorSection />
      <div className="mt-10 flex flex-wrap items-center gap-3">
        {hasFactor && (
          <Button isBusy={next.isPending} onClick={() => next.mutate()}>
            <Trans>Continue</Trans>
          </Button>
        )}
        <Button
          variant="ghost"
          className="first:-ml-5"
          isBusy={leave.isPending}
          onClick={() => leave.mutate()}
        >
          <Trans>Log out</Trans>
        </Button>
      </div>
      <StepUpDialog />
    </AccountFrame>
  );
}
