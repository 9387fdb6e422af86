import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MailCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Redirect, useLocation, useSearchParams } from 'wouter';
import { type CurrentUser, sendVerificationCode } from '../../../../contracts/accounts/accounts.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { isEmail } from '../../../../contracts/values/fields.ts';
import { setSessionUser, useSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { SpinnerPage } from '../../../components/feedback/spinner-page.tsx';
import { dismissToast, toast } from '../../../components/feedback/toast.ts';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { usePlace } from '../../../lib/routing.tsx';
import { AccountFrame, BackToLogin, Outcome } from '../account-frame.tsx';
import { pathAfterSignIn } from '../next-path.ts';
import { useKeptFiles } from '../use-kept-files.ts';
import { CodeForm, useLinkedCode } from './code-form.tsx';

const REDIRECT_MS = 2000;

/** Asks for the emailed code. A pending registration needs no session here. */
export function VerifyEmailPage() {
  usePageTitle(t`Verify Your Email`);
  const { user, isLoading } = useSession();
  const [isVerified, setVerified] = useState(false);
  const linkedCode = useLinkedCode();
  const state = usePlace().state as { codeSentAt?: number; search?: string } | null;
  const [sentAt] = useState(() => state?.codeSentAt ?? Date.now());
  const { kept } = useKeptFiles();
  if (isLoading || kept === undefined) return <SpinnerPage />;
  if (isVerified) return <Verified />;
  const pathOf = (verified: CurrentUser) =>
    pathAfterSignIn({ user: verified, search: state?.search ?? '', hasFiles: kept !== null });
  if (user?.emailVerified) return <Redirect to={pathOf(user)} replace />;
  /** Only the way to the dashboard has a pause. Others continue what was begun before signing up. */
  const finish = (verified: CurrentUser) => {
    const isPausing = pathOf(verified) === PAGES.dashboard;
    toast({
      title: t`Email verified!`,
      description: isPausing
        ? t`Your email has been successfully verified. Redirecting to dashboard...`
        : t`Your email has been successfully verified.`,
    });
    setVerified(isPausing);
    setSessionUser(verified);
  };
  return (
    <AccountFrame>
      <h1 className="text-4xl">
        <Trans>Verify Your Email</Trans>
      </h1>
      <SentTo sessionEmail={user?.email} />
      <CodeForm key={linkedCode} linkedCode={linkedCode} onVerified={finish} />
      <div className="mt-4 flex flex-col items-center gap-5">
        <ResendCodeButton sentAt={sentAt} />
        <BackToLogin isSignedIn={Boolean(user)} />
      </div>
      <UndoHint />
    </AccountFrame>
  );
}

function SentTo({ sessionEmail }: { sessionEmail: string | undefined }) {
  const [parameters] = useSearchParams();
  const email = sessionEmail ?? parameters.get('email') ?? '';
  if (!isEmail(email)) {
    return (
      <p className="mt-3 text-ink-soft">
        <Trans>Enter the 6-digit code that we sent to your email address.</Trans>
      </p>
    );
  }
  return (
    <p className="mt-3 text-ink-soft">
      <Trans>
        Enter the 6-digit code that we sent to{' '}
        <strong className="font-medium wrap-anywhere text-ink">{email}</strong>
      </Trans>
    </p>
  );
}

/** Helps users who mistyped a new address in the settings, which pass the old one in the location state. */
function UndoHint() {
  const state = usePlace().state as { oldEmail?: string } | null;
  const oldEmail = state?.oldEmail;
  if (!oldEmail) return null;
  return (
    <p className="mt-10 text-sm text-ink-faint">
      <Trans>
        Wrong address? Use the link in our email to <span className="wrap-anywhere">{oldEmail}</span> to undo
        the change.
      </Trans>
    </p>
  );
}

function Verified() {
  const [, navigate] = useLocation();
  useEffect(() => {
    const timer = setTimeout(() => {
      // "Redirecting to dashboard..." would be stale there.
      dismissToast();
      navigate(PAGES.dashboard, { replace: true });
    }, REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <AccountFrame motion="flow">
      <Outcome icon={<MailCheck strokeWidth={1.25} />} title={t`Your email is verified`}>
        <p className="mt-3 text-ink-soft">
          <Trans>Taking you to your dashboard</Trans>
        </p>
      </Outcome>
    </AccountFrame>
  );
}

/** The server sends at most one code a minute. */
const PAUSE_SECONDS = 60;

/** Starts with a countdown, because a code was sent just before the page opened. */
function ResendCodeButton({ sentAt }: { sentAt: number }) {
  const { secondsLeft, start, startAfter } = useCoolDown(sentAt + PAUSE_SECONDS * 1000);
  const { mutate, isPending } = useAction(sendVerificationCode, {
    onSuccess: () => start(PAUSE_SECONDS),
    success: { title: t`Code sent!`, description: t`A new verification code has been sent to your email.` },
    failure: t`Failed to resend code`,
    onError: startAfter,
  });
  return (
    <CoolDownButton
      variant="ghost"
      isBusy={isPending}
      secondsLeft={secondsLeft}
      waitingLabel={t`Resend Code`}
      onClick={() => mutate()}
    >
      <Trans>Resend Code</Trans>
    </CoolDownButton>
  );
}
