import { MailCheck } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router';
import { isEmail } from '../../../contracts/common.ts';
import { PAGES } from '../../../contracts/pages.ts';
import { useSession } from '../../api/session.ts';
import { Ripples } from '../../components/ripples.tsx';
import { SpinnerPage } from '../../components/spinner-page.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { AccountHeader } from './account-header.tsx';
import { CodeForm } from './code-form.tsx';
import { ResendCodeButton } from './resend-code-button.tsx';

/** Specification section 9. */
const REDIRECT_MS = 2000;

/** Asks for the code that was mailed (specification section 2). A pending registration needs no session here. */
export function VerifyEmailPage() {
  usePageTitle('Verify Your Email');
  const { user, isLoading } = useSession();
  const [isVerified, setVerified] = useState(false);
  if (isLoading) return <SpinnerPage />;
  if (isVerified) return <Verified />;
  if (user?.emailVerified) return <Navigate to={PAGES.dashboard} replace />;
  return (
    <Frame motion="still">
      <h1 className="text-4xl">Verify Your Email</h1>
      <SentTo sessionEmail={user?.email} />
      <CodeForm onVerified={() => setVerified(true)} />
      <div className="mt-4 flex flex-col items-center gap-5">
        <ResendCodeButton />
        <Link to={PAGES.auth} className="link py-1">
          Back to login
        </Link>
      </div>
    </Frame>
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

function Verified() {
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => navigate(PAGES.dashboard, { replace: true }), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <Frame motion="flow">
      <MailCheck aria-hidden="true" strokeWidth={1.25} className="mx-auto size-16 text-accent-ink" />
      <h1 className="mt-6 text-4xl">Your email is verified</h1>
      <p className="mt-3 text-ink-soft">Taking you to your dashboard</p>
    </Frame>
  );
}

function Frame({ motion, children }: { motion: 'still' | 'flow'; children: ReactNode }) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-hidden">
      <AccountHeader />
      <Ripples
        key={motion}
        motion={motion}
        tone={motion === 'flow' ? 'accent' : 'quiet'}
        count={motion === 'flow' ? 5 : 10}
        className="absolute top-1/2 left-1/2 -z-10 size-[max(80rem,110vw)] -translate-x-1/2 -translate-y-1/2"
      />
      <main
        id="main"
        tabIndex={-1}
        className="flex grow flex-col justify-center px-gutter pt-24 pb-16 text-center outline-none"
      >
        <div className="mx-auto w-full max-w-[27rem]">{children}</div>
      </main>
    </div>
  );
}
