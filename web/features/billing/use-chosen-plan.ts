import { useNavigate, useSearchParams } from 'react-router';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { PAID_TIERS, type PaidTier } from '../../../contracts/plans/billing.ts';
import { verifyEmailPath } from '../../../contracts/values/links.ts';
import { PAGES } from '../../../contracts/values/pages.ts';

/**
 * The plan somebody wants, kept in the address: so it outlives signing in, and loading the page anew. Those
 * who cannot subscribe yet are led to where they can, and come back with it.
 */
export function useChosenPlan(user: CurrentUser | null | undefined) {
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const inAddress = PAID_TIERS.find((tier) => tier === search.get('plan'));
  const choose = (tier: PaidTier) => {
    if (!user) return navigate(`${PAGES.auth}?next=${encodeURIComponent(`${PAGES.pricing}?plan=${tier}`)}`);
    if (!user.emailVerified) return navigate(verifyEmailPath(user.email));
    return setSearch({ plan: tier }, { replace: true, preventScrollReset: true });
  };
  const clear = () => setSearch({}, { replace: true, preventScrollReset: true });
  return { chosen: user?.emailVerified ? inAddress : undefined, choose, clear };
}
