import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LogIn, Unlink } from 'lucide-react';
import { Suspense } from 'react';
import { Redirect, useLocation } from 'wouter';
import { errorDetail } from '../../../../client/api-error.ts';
import { signInByLink } from '../../../../contracts/accounts/sign-in/link.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { setSessionUser, useSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { lazy } from '../../../lib/loading/lazy.ts';
import { readFactors } from '../../../signing-in/read-factors.ts';
import { AccountFrame, BackToLogin, Outcome } from '../account-frame.tsx';
import { CreationTerms } from '../sign-up/creation-terms.tsx';
import { isLinkVoid, useLinkToken } from '../use-link-token.ts';

const SecondStep = lazy(() =>
  import('../../../signing-in/second-step.tsx').then((module) => ({ default: module.SecondStep })),
);

/** Opened by an emailed link. Waits for a press, because scanners of mails open links too. */
export function SignInLinkPage() {
  usePageTitle(t`Sign In`);
  const { token, opened } = useLinkToken();
  return <AccountFrame>{token ? <Question key={opened} token={token} /> : <VoidLink />}</AccountFrame>;
}

function Question({ token }: { token: string }) {
  const { user } = useSession();
  const { secondsLeft, startAfter } = useCoolDown();
  const [, navigate] = useLocation();
  const { mutate, isPending, isSuccess, error } = useAction(signInByLink, {
    onSuccess: setSessionUser,
    success: { title: t`Welcome back!`, description: t`You've successfully logged in.` },
    failure: (refusal) =>
      isLinkVoid(refusal) || readFactors(refusal)
        ? undefined
        : { title: t`Login failed`, description: errorDetail(refusal) },
    onError: startAfter,
  });
  if (user && (isSuccess || readFactors(error))) return <Redirect to={PAGES.dashboard} replace />;
  if (isLinkVoid(error)) return <VoidLink />;
  const factors = readFactors(error);
  if (factors)
    return (
      <Outcome icon={<LogIn strokeWidth={1.25} />} title={t`Confirm it's you`}>
        <div className="mt-8 text-left">
          <Suspense fallback={null}>
            <SecondStep factors={factors} onBack={() => navigate(PAGES.auth, { replace: true })} />
          </Suspense>
        </div>
      </Outcome>
    );
  return (
    <Outcome icon={<LogIn strokeWidth={1.25} />} title={t`Sign in here?`}>
      <p className="mt-4 text-ink-soft">
        <Trans>The link works once, in this browser.</Trans>
      </p>
      <CreationTerms className="mt-2 text-sm text-ink-soft" />
      <div className="mt-8 flex flex-col items-center gap-6">
        <CoolDownButton
          size="lg"
          isBusy={isPending}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
          onClick={() => mutate({ body: { token } })}
        >
          <Trans>Sign in here</Trans>
        </CoolDownButton>
        <BackToLogin />
      </div>
    </Outcome>
  );
}

function VoidLink() {
  return (
    <Outcome icon={<Unlink strokeWidth={1.25} />} title={t`This link is no longer valid`}>
      <p className="mt-4 text-ink-soft">
        <Trans>Each link works only once and for a limited time. A newer link replaces it.</Trans>
      </p>
      <div className="mt-8 flex flex-col items-center gap-6">
        <LinkButton to={PAGES.auth} size="lg">
          <Trans>Sign In</Trans>
        </LinkButton>
      </div>
    </Outcome>
  );
}
