import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Fingerprint } from 'lucide-react';
import { useEffect, useState } from 'react';
import { refusalText } from '../../../../client/api-error.ts';
import type { PasskeyAssertion } from '../../../../contracts/accounts/sign-in/passkeys.ts';
import { beginPasskeySignIn, signInByPasskey } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import type { SignInProvider } from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { call } from '../../../api/call.ts';
import { setSessionUser } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { describePasskeyObstacle, offerPasskeys, promptForPasskey } from '../../../signing-in/passkeys.ts';
import { readRequiredProvider } from '../../../signing-in/providers.ts';

type PasskeySignInProps = {
  /** The account must sign in with this provider. */
  onSsoRequired: (provider: SignInProvider) => void;
};

/** A button; passkeys are also among the suggestions of the username field. The page redirects after a sign-in. */
export function PasskeySignIn(props: PasskeySignInProps) {
  return describePasskeyObstacle() === undefined && <Offer {...props} />;
}

const getRequest = () => call(beginPasskeySignIn);

function Offer({ onSsoRequired }: PasskeySignInProps) {
  const [attempt, setAttempt] = useState(1);
  const offerAgain = () => setAttempt((count) => count + 1);
  const signIn = async (picked: PasskeyAssertion | undefined) => {
    try {
      const response = picked ?? (await promptForPasskey(await getRequest()));
      return await call(signInByPasskey, { body: { response } });
    } catch (error) {
      offerAgain();
      throw error;
    }
  };
  const { mutate, isPending } = useAction(signIn, {
    onSuccess: setSessionUser,
    success: { title: t`Welcome back!`, description: t`You've successfully logged in.` },
    failure: (error) =>
      readRequiredProvider(error) ? undefined : { title: t`Login failed`, description: refusalText(error) },
    onError: (error) => {
      const provider = readRequiredProvider(error);
      if (provider) onSsoRequired(provider);
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt ends the offer, and the next starts it again.
  useEffect(() => {
    const end = new AbortController();
    offerPasskeys(getRequest, end.signal).then(
      (picked) => picked && !end.signal.aborted && mutate(picked),
      // Suggestions are optional, so a failure isn't shown.
      () => undefined,
    );
    return () => end.abort();
  }, [attempt, mutate]);
  return (
    <Button
      variant="secondary"
      size="lg"
      className="mt-5 w-full"
      icon={<Fingerprint aria-hidden="true" />}
      isBusy={isPending}
      onClick={() => mutate(undefined)}
    >
      <Trans>Sign in with a passkey</Trans>
    </Button>
  );
}
