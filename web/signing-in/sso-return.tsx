import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { SsoOutcome } from '../../contracts/accounts/single-sign-on.ts';
import { toast } from '../components/feedback/toast.ts';
import { useSignInProviders } from './providers.ts';
import { describeOutcome, readSsoReturn, withoutSsoReturn } from './sso-outcomes.ts';

/** Says how a visit to a provider ended that began on a page for signed-in people. */
export function SsoReturn() {
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  const providers = useSignInProviders();
  useEffect(() => {
    const returned = readSsoReturn(search);
    if (!returned || !providers) return;
    const { outcome, providerId } = returned;
    const name = providers.find(({ id }) => id === providerId)?.name;
    navigate({ pathname, search: withoutSsoReturn(search), hash }, { replace: true });
    const title = TITLES[outcome];
    toast({
      title: title ?? t`That didn't work`,
      description: describeOutcome(outcome, name),
      ...(!title && { variant: 'destructive' }),
    });
  }, [pathname, search, hash, providers, navigate]);
  return null;
}

/** Other outcomes are failures. */
const TITLES: Partial<Record<SsoOutcome, string>> = {
  linked: t`Sign-in linked`,
  confirmed: t`Confirmed`,
  cancelled: t`Canceled`,
};
