import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import type { SsoOutcome } from '../../contracts/accounts/sign-in/single-sign-on.ts';
import { toast } from '../components/feedback/toast.ts';
import { usePlace, withQuery } from '../lib/routing.tsx';
import { useSignInProviders } from './providers.ts';
import { describeOutcome, readSsoReturn, withoutSsoReturn } from './sso-outcomes.ts';

/** Says how a visit to a provider ended that began on a page for signed-in people. */
export function SsoReturn() {
  const { pathname, search, hash } = usePlace();
  const [, navigate] = useLocation();
  const providers = useSignInProviders();
  useEffect(() => {
    const returned = readSsoReturn(search);
    if (!returned || !providers) return;
    const { outcome, providerId } = returned;
    const name = providers.find(({ id }) => id === providerId)?.name;
    navigate(withQuery(pathname, withoutSsoReturn(search)) + hash, { replace: true });
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
