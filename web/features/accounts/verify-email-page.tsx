import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MailCheck } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router';
import { ApiError, errorDetail, refusalText } from '../../../client/api-error.ts';
import { sendVerificationCode, verifyEmail } from '../../../contracts/accounts/accounts.ts';
import { isEmail } from '../../../contracts/values/fields.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { refreshSession, setSessionUser, useSession } from '../../api/session.ts';
import { useAction } from '../../api/use-action.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { SpinnerPage } from '../../components/feedback/spinner-page.tsx';
import { dismissToast } from '../../components/feedback/toast.ts';
import { CodeField } from '../../components/form/code-field.tsx';
import { ToldError } from '../../components/form/field.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { CODE_LENGTH, keepDigits } from '../../lib/values/code.ts';
import { AccountFrame, BackToLogin, Outcome } from './account-frame.tsx';

const REDIRECT_MS = 2000;

/** Asks for the emailed code. A pending registration needs no session here. */
export function VerifyEmailPage() {
  usePageTitle(t`Verify Your Email`);
  const { user, isLoading } = useSession();
  const [isVerified, setVerified] = useState(false);
  const linkedCode = useLinkedCode();
  const state = useLocation().state as { codeSentAt?: number } | null;
  const [sentAt] = useState(() => state?.codeSentAt ?? Date.now());
  if (isLoading) return <SpinnerPage />;
  if (isVerified) return <Verified />;
  if (user?.emailVerified) return <Navigate to={PAGES.dashboard} replace />;
  return (
    <AccountFrame>
      <h1 className="text-4xl">
        <Trans>Verify Your Email</Trans>
      </h1>
      <SentTo sessionEmail={user?.email} />
      <CodeForm key={linkedCode} linkedCode={linkedCode} onVerified={() => setVerified(true)} />
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
  const state = useLocation().state as { oldEmail?: string } | null;
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
  const navigate = useNavigate();
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
export function ResendCodeButton({ sentAt }: { sentAt: number }) {
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

type CodeFormProps = {
  /** From the emailed link; empty without one. */
  linkedCode: string;
  onVerified: () => void;
};

/**
 * A correct code signs in a pending registration. A code from a link is filled in but waits for a click, because link
 * scanners open links too.
 */
export function CodeForm({ linkedCode, onVerified }: CodeFormProps) {
  const [code, setCode] = useState(linkedCode);
  const [needsSignIn, setNeedsSignIn] = useState(false);
  const [error, setError] = useState<string>();
  const { secondsLeft, startAfter } = useCoolDown();
  const field = useRef<HTMLInputElement>(null);
  const changeCode = (next: string) => {
    setCode(next);
    setError(undefined);
  };
  const isUnknownHere = (failure: Error) => failure instanceof ApiError && failure.code === 'not_signed_in';
  const { mutate, isPending } = useAction(verifyEmail, {
    onSuccess: (user) => {
      forgetLinkedCode();
      onVerified();
      setSessionUser(user);
    },
    success: {
      title: t`Email verified!`,
      description: t`Your email has been successfully verified. Redirecting to dashboard...`,
    },
    failure: (failure) =>
      isUnknownHere(failure)
        ? undefined
        : { title: t`Verification failed`, description: refusalText(failure) },
    onError: (failure) => {
      startAfter(failure);
      // This browser didn't register. Signing in returns here with the code.
      if (isUnknownHere(failure)) return setNeedsSignIn(true);
      forgetLinkedCode();
      setError(errorDetail(failure));
      field.current?.focus();
      field.current?.select();
      // Another tab has verified it; the page redirects.
      if (failure instanceof ApiError && failure.code === 'already_verified') void refreshSession();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ body: { code } });
  };
  return (
    <form noValidate onSubmit={submit} className="mt-10 flex flex-col gap-6 text-left">
      <CodeField
        ref={field}
        label={t`Verification code`}
        hint={t`The code expires in 15 minutes.`}
        value={code}
        onChange={changeCode}
        error={error && <ToldError>{error}</ToldError>}
      />
      <CoolDownButton
        type="submit"
        size="lg"
        disabled={code.length !== CODE_LENGTH}
        autoFocus={linkedCode !== ''}
        isBusy={isPending}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        <Trans>Verify Email</Trans>
      </CoolDownButton>
      {needsSignIn && (
        <p role="alert" className="text-center text-sm text-ink-soft">
          <Trans>
            This browser isn't signed in.{' '}
            <Link to={PAGES.auth} className="link">
              Sign in
            </Link>{' '}
            to verify your email here, or open the link in the browser where you registered.
          </Trans>
        </p>
      )}
    </form>
  );
}

const KEY = 'verification-code';

/**
 * The code in the fragment of an emailed link; empty without one. Moves it from the address bar to this tab's storage,
 * so that signing in first does not lose it.
 */
export function useLinkedCode(): string {
  const { hash, pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const present = keepDigits(new URLSearchParams(hash.slice(1)).get('code') ?? '');
  const [code, setCode] = useState(() => present || (sessionStorage.getItem(KEY) ?? ''));
  useEffect(() => {
    if (!present) return;
    sessionStorage.setItem(KEY, present);
    setCode(present);
    navigate({ pathname, search }, { replace: true, state });
  }, [present, navigate, pathname, search, state]);
  return code;
}

export function forgetLinkedCode(): void {
  sessionStorage.removeItem(KEY);
}
