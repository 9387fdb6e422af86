import { MailCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router';
import { isEmail } from '../../../contracts/values/fields.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { useSession } from '../../api/session.ts';
import { SpinnerPage } from '../../components/spinner-page.tsx';
import { dismissToast } from '../../components/toast.ts';
import { usePageTitle } from '../../lib/page-title.ts';
import { AccountFrame } from './account-frame.tsx';
import { BackToLogin } from './back-to-login.tsx';
import { CodeForm } from './code-form.tsx';
import { Outcome } from './outcome.tsx';
import { ResendCodeButton } from './resend-code-button.tsx';
import { useLinkedCode } from './use-linked-code.ts';

/** How long the success message stays. */
const REDIRECT_MS = 2000;

/** Asks for the emailed code. A pending registration needs no session here. */
export function VerifyEmailPage() {
  usePageTitle('Verify Your Email');
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
      <h1 className="text-4xl">Verify Your Email</h1>
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
    return <p className="mt-3 text-ink-soft">Enter the 6-digit code that we sent to your email address.</p>;
  }
  return (
    <p className="mt-3 text-ink-soft">
      Enter the 6-digit code that we sent to{' '}
      <strong className="font-medium wrap-anywhere text-ink">{email}</strong>
    </p>
  );
}

/** The way out for who mistyped a new address in the settings, which hand the old one over. */
function UndoHint() {
  const state = useLocation().state as { oldEmail?: string } | null;
  if (!state?.oldEmail) return null;
  return (
    <p className="mt-10 text-sm text-ink-faint">
      Mistyped it? The mail to <span className="wrap-anywhere">{state.oldEmail}</span> has a link that takes
      the change back.
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
      <Outcome icon={<MailCheck strokeWidth={1.25} />} title="Your email is verified">
        <p className="mt-3 text-ink-soft">Taking you to your dashboard</p>
      </Outcome>
    </AccountFrame>
  );
}
