import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, errorDetail, refusalText } from '../../../../client/api-error.ts';
import { type CurrentUser, verifyEmail } from '../../../../contracts/accounts/accounts.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { refreshSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { CodeField } from '../../../components/form/code-field.tsx';
import { ToldError } from '../../../components/form/field.tsx';
import { Link, usePlace } from '../../../lib/routing.tsx';
import { CODE_LENGTH, keepDigits } from '../../../lib/values/code.ts';

type CodeFormProps = {
  /** From the emailed link; empty without one. */
  linkedCode: string;
  onVerified: (user: CurrentUser) => void;
};

/**
 * Submits itself at the sixth digit, and with the code of an emailed link at once. Programs that open links to check
 * them can't use up the code, because only the browser that registered or a session may verify it.
 */
export function CodeForm({ linkedCode, onVerified }: CodeFormProps) {
  const [code, setCode] = useState(linkedCode);
  const [needsSignIn, setNeedsSignIn] = useState(false);
  const [error, setError] = useState<string>();
  const { secondsLeft, startAfter } = useCoolDown();
  const field = useRef<HTMLInputElement>(null);
  const isUnknownHere = (failure: Error) => failure instanceof ApiError && failure.code === 'not_signed_in';
  const { mutate, isPending } = useAction(verifyEmail, {
    onSuccess: (user) => {
      keepCode('');
      onVerified(user);
    },
    failure: (failure) =>
      isUnknownHere(failure)
        ? undefined
        : { title: t`Verification failed`, description: refusalText(failure) },
    onError: (failure) => {
      startAfter(failure);
      // This browser didn't register. Signing in returns here with the code.
      if (isUnknownHere(failure)) return setNeedsSignIn(true);
      keepCode('');
      setError(errorDetail(failure));
      field.current?.focus();
      field.current?.select();
      // Another tab has verified it; the page redirects.
      if (failure instanceof ApiError && failure.code === 'already_verified') void refreshSession();
    },
  });
  const changeCode = (next: string) => {
    setCode(next);
    setError(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ body: { code } });
  };
  const submittedCode = useRef('');
  useEffect(() => {
    if (isPending || secondsLeft > 0 || code === submittedCode.current) return;
    submittedCode.current = code;
    if (code.length === CODE_LENGTH) mutate({ body: { code } });
  }, [code, isPending, secondsLeft, mutate]);
  useEffect(() => field.current?.focus(), []);
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
  const { hash, pathname, search, state } = usePlace();
  const [, navigate] = useLocation();
  const present = keepDigits(new URLSearchParams(hash.slice(1)).get('code') ?? '');
  const [code, setCode] = useState(() => present || recallCode());
  useEffect(() => {
    if (!present) return;
    keepCode(present);
    setCode(present);
    navigate(pathname + search, { replace: true, state });
  }, [present, navigate, pathname, search, state]);
  return code;
}

function recallCode(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    // Storage may be disabled.
    return '';
  }
}

function keepCode(code: string): void {
  try {
    if (code) sessionStorage.setItem(KEY, code);
    else sessionStorage.removeItem(KEY);
  } catch {
    // Then signing in first loses the code.
  }
}
