import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import type { SecondFactor } from '../../../contracts/accounts/sign-in/sign-in.ts';
import type { SignInProvider } from '../../../contracts/accounts/sign-in/single-sign-on.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { useSession } from '../../api/session/session.ts';
import { SpinnerPage } from '../../components/feedback/spinner-page.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { lazy } from '../../lib/loading/lazy.ts';
import { Link, usePlace, withQuery } from '../../lib/routing.tsx';
import { useSignInProviders } from '../../signing-in/providers.ts';
import { readSsoReturn, withoutSsoReturn } from '../../signing-in/sso-outcomes.ts';
import { AccountHeader } from './account-frame.tsx';
import { pathAfterSignIn } from './next-path.ts';
import { PasskeySignIn } from './sign-in/passkey-sign-in.tsx';
import { leadToLinking, ProviderOffer, RequiredProvider, SsoNotice } from './sign-in/provider-sign-in.tsx';
import { SignInForm } from './sign-in/sign-in-form.tsx';
import { SignInLink } from './sign-in/sign-in-link-form.tsx';
import { readInvitation, SignUp } from './sign-up/sign-up.tsx';
import { useKeptFiles } from './use-kept-files.ts';
import { WaitingFiles } from './waiting-files.tsx';

const SecondStep = lazy(() =>
  import('../../signing-in/second-step.tsx').then((module) => ({ default: module.SecondStep })),
);

const MODES = {
  'sign-in': {
    windowTitle: t`Sign In`,
    title: t`Welcome Back`,
    subtitle: t`Sign in to your account to continue`,
    switchLabel: t`Don't have an account? Sign up`,
    sendsFiles: t`Sign in to send them.`,
    other: 'sign-up',
  },
  'sign-up': {
    windowTitle: t`Create Account`,
    title: t`Create Account`,
    subtitle: t`Sign up to start sharing files securely`,
    switchLabel: t`Already have an account? Sign in`,
    sendsFiles: t`Sign up to send them.`,
    other: 'sign-in',
  },
} as const;

/** Sign-in and registration. Redirects if the user is already signed in. */
export function AuthPage() {
  const { user, isLoading } = useSession();
  const { search, hash } = usePlace();
  const [, navigate] = useLocation();
  const { kept, discard } = useKeptFiles();
  const providers = useSignInProviders();
  const returned = readSsoReturn(search);
  const wanted = new URLSearchParams(search).get('mode') ?? (readInvitation(hash) ? 'sign-up' : 'sign-in');
  const modeName = wanted === 'sign-up' ? 'sign-up' : 'sign-in';
  const mode = MODES[modeName];
  const [passwordFactors, setFactors] = useState<SecondFactor[]>();
  const [required, setRequired] = useState<SignInProvider>();
  const [expired, setExpired] = useState<string>();
  usePageTitle(mode.windowTitle);
  if (isLoading || kept === undefined) return <SpinnerPage />;
  if (user) {
    const path = pathAfterSignIn({
      user,
      search: leadToLinking(search, returned),
      hasFiles: kept !== null,
    });
    // Signing in sends no code, so an unverified user may ask for one at once.
    const state = user.emailVerified ? undefined : { codeSentAt: 0, search };
    return <Redirect to={path} state={state} replace />;
  }
  const discardFiles = () => {
    discard();
    // The button, which had the focus, is gone.
    document.getElementById('main')?.focus();
  };
  const factors = passwordFactors ?? (returned?.factors.length ? returned.factors : undefined);
  if (factors && modeName === 'sign-in') {
    const goBack = (reason?: string) => {
      setFactors(undefined);
      setExpired(reason);
      if (returned) navigate(withQuery(PAGES.auth, withoutSsoReturn(search)) + hash, { replace: true });
    };
    return (
      <AuthFrame>
        <ModeTitle title={t`Confirm it's you`} subtitle={t`Your account asks for a second factor.`} />
        <Suspense fallback={<div aria-busy="true" className="min-h-56" />}>
          <SecondStep factors={factors} onBack={goBack} />
        </Suspense>
      </AuthFrame>
    );
  }
  const hasFiles = kept !== null;
  if (required)
    return (
      <AuthFrame>
        <ModeTitle
          title={t`Sign in with ${required.name}`}
          subtitle={t`Accounts with this email address sign in with ${required.name}.`}
        />
        <RequiredProvider provider={required} hasFiles={hasFiles} onBack={() => setRequired(undefined)} />
      </AuthFrame>
    );
  return (
    <AuthFrame>
      <ModeTitle title={mode.title} subtitle={mode.subtitle} />
      {returned && providers && <SsoNotice {...{ returned, providers }} />}
      {kept && <WaitingFiles kept={kept} nextStep={mode.sendsFiles} onDiscard={discardFiles} />}
      {/* Two component types, so that switching clears the typed values. */}
      {expired && (
        <p role="alert" className="mb-6 text-danger-ink">
          {expired}
        </p>
      )}
      {modeName === 'sign-in' ? (
        <SignInForm
          onFactorNeeded={(needed) => {
            setExpired(undefined);
            setFactors(needed);
          }}
          onSsoRequired={setRequired}
        />
      ) : (
        <SignUp onSsoRequired={setRequired} />
      )}
      {modeName === 'sign-in' && <PasskeySignIn onSsoRequired={setRequired} />}
      {modeName === 'sign-in' && <SignInLink onSsoRequired={setRequired} />}
      {providers && <ProviderOffer {...{ providers, hasFiles }} />}
      <p className="mt-8 text-center">
        <Link to={withMode(search, mode.other) + hash} replace className="link inline-block py-1">
          {mode.switchLabel}
        </Link>
      </p>
      <p className="mt-2 text-center text-sm">
        <Link to={PAGES.pickup} className="link inline-block py-1 text-ink-soft">
          <Trans>Enter a pickup code</Trans>
        </Link>
      </p>
    </AuthFrame>
  );
}

function AuthFrame({ children }: { children: ReactNode }) {
  return (
    <div className="relative grid min-h-dvh grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1.15fr)_minmax(0,1fr)]">
      <AccountHeader />
      <AuthSidePanel />
      <main
        id="main"
        tabIndex={-1}
        className="flex flex-col justify-center px-gutter pt-24 pb-12 outline-none"
      >
        <div className="mx-auto w-full max-w-[26rem]">{children}</div>
      </main>
    </div>
  );
}

/** Takes the focus when the mode changes, so that screen readers announce it. */
function ModeTitle({ title, subtitle }: { title: string; subtitle: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shownTitle = useRef(title);
  useEffect(() => {
    if (shownTitle.current === title) return;
    shownTitle.current = title;
    heading.current?.focus();
  }, [title]);
  return (
    <div className="mb-8">
      <h1 ref={heading} tabIndex={-1} className="text-4xl outline-none">
        {title}
      </h1>
      <p className="mt-2.5 text-ink-soft">{subtitle}</p>
    </div>
  );
}

/** Keeps the other parameters, such as `?next=`. */
function withMode(search: string, mode: string): string {
  const parameters = new URLSearchParams(withoutSsoReturn(search));
  parameters.set('mode', mode);
  return `?${parameters}`;
}

const FACTS = [
  { value: '50GB', label: t`max file size` },
  { value: t`90 days`, label: t`storage` },
];

/** Shown beside the form on wide windows. */
export function AuthSidePanel() {
  return (
    <aside className="sticky top-0 isolate hidden h-dvh overflow-hidden border-r border-line bg-sunken lg:flex lg:flex-col lg:justify-between">
      <Ripples
        motion="arrive"
        view="slanted"
        count={11}
        className="absolute top-[68%] left-[66%] -z-10 w-[104rem] -translate-x-1/2 -translate-y-1/2"
      />
      <Ripples
        motion="arrive"
        view="slanted"
        tone="accent"
        count={2}
        className="absolute top-[68%] left-[66%] -z-10 w-44 -translate-x-1/2 -translate-y-1/2"
      />
      <p className="max-w-[9ch] px-[clamp(2.5rem,5vw,5rem)] pt-[16vh] font-heading text-display text-balance">
        <Trans>Your files arrive complete.</Trans>
      </p>
      <dl className="flex gap-14 px-[clamp(2.5rem,5vw,5rem)] pb-12">
        {FACTS.map(({ value, label }) => (
          <div key={label} className="flex flex-col-reverse gap-0.5">
            <dt className="text-sm text-ink-soft">{label}</dt>
            <dd className="tabular font-heading text-3xl">{value}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}
