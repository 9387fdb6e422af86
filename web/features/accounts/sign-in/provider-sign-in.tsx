import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CircleAlert, KeyRound } from 'lucide-react';
import {
  beginSsoSignIn,
  type SignInProvider,
} from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { usePlace } from '../../../lib/routing.tsx';
import { describeDepartureFailure, useDeparture } from '../../../signing-in/providers.ts';
import { describeOutcome, type SsoReturn } from '../../../signing-in/sso-outcomes.ts';
import { readNextPath } from '../next-path.ts';
import { CreationTerms } from '../sign-up/creation-terms.tsx';

type OfferProps = {
  providers: readonly SignInProvider[];
  /** Files were chosen before. */
  hasFiles: boolean;
};

/** A button for each provider, below the form; nothing if there are none. */
export function ProviderOffer({ providers, hasFiles }: OfferProps) {
  if (providers.length === 0) return null;
  return (
    <section aria-label={t`Sign-in providers`} className="mt-7">
      <p className="flex items-center gap-4 text-sm text-ink-faint before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        <Trans>or</Trans>
      </p>
      <ul className="mt-6 flex flex-col gap-3">
        {providers.map((provider) => (
          <li key={provider.id}>
            <ContinueButton {...{ provider, hasFiles }} variant="secondary" />
          </li>
        ))}
      </ul>
      <CreationTerms className="mt-4 text-center text-sm text-ink-faint" />
    </section>
  );
}

type RequiredProviderProps = { provider: SignInProvider; hasFiles: boolean; onBack: () => void };

/** For an address whose domain requires a provider. */
export function RequiredProvider({ onBack, ...props }: RequiredProviderProps) {
  return (
    <div className="flex flex-col items-center gap-5">
      <ContinueButton {...props} variant="primary" />
      <CreationTerms className="text-center text-sm text-ink-faint" />
      <Button variant="ghost" size="sm" onClick={onBack}>
        <Trans>Back</Trans>
      </Button>
    </div>
  );
}

type ContinueButtonProps = {
  provider: SignInProvider;
  hasFiles: boolean;
  variant: 'primary' | 'secondary';
};

function ContinueButton({ provider: { id, name }, hasFiles, variant }: ContinueButtonProps) {
  const { search } = usePlace();
  const { isLeaving, leave } = useDeparture();
  const { secondsLeft, startAfter } = useCoolDown();
  const { mutate, isPending } = useAction(beginSsoSignIn, {
    onSuccess: ({ url }) => url !== null && leave(url),
    failure: describeDepartureFailure(t`Login failed`, name),
    onError: startAfter,
  });
  const begin = () => {
    const next = readNextPath(search);
    const returnTo = hasFiles && next === PAGES.dashboard ? PAGES.upload : next;
    mutate({ body: { providerId: id, returnTo } });
  };
  return (
    <CoolDownButton
      variant={variant}
      size="lg"
      className="w-full py-2 whitespace-normal! wrap-anywhere"
      icon={<KeyRound aria-hidden="true" />}
      isBusy={isPending || isLeaving}
      secondsLeft={secondsLeft}
      waitingLabel={t`Try again`}
      onClick={begin}
    >
      <Trans>Continue with {name}</Trans>
    </CoolDownButton>
  );
}

/** The query with `?next=` for people who sign in otherwise, because their provider isn't linked yet. */
export function leadToLinking(search: string, returned: SsoReturn | undefined): string {
  const isUnlinked = returned?.outcome === 'account-exists' || returned?.outcome === 'email-unverified';
  if (!isUnlinked || readNextPath(search) !== PAGES.dashboard) return search;
  const parameters = new URLSearchParams(search);
  parameters.set('next', `${PAGES.settingsSecurity}#sign-in-providers`);
  return `?${parameters}`;
}

type SsoNoticeProps = { returned: SsoReturn; providers: readonly SignInProvider[] };

/** Why a visit to a provider did not sign in. */
export function SsoNotice({ returned: { outcome, providerId }, providers }: SsoNoticeProps) {
  const name = providers.find(({ id }) => id === providerId)?.name;
  return (
    <p
      role="alert"
      className="mb-6 flex animate-fade-in items-start gap-3 rounded-lg border border-line-firm p-4"
    >
      <CircleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-danger-ink" />
      <span className="min-w-0 wrap-anywhere">{describeOutcome(outcome, name)}</span>
    </p>
  );
}
