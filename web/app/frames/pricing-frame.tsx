import { Trans } from '@lingui/react/macro';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { useSession } from '../../api/session/session.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { PricingPage } from '../../features/billing/pricing-page.tsx';
import { PublicHeader } from '../../features/shell/public-header.tsx';
import { DemoWarning } from '../../paying/demo-warning.tsx';

export function PricingFrame() {
  const { user } = useSession();
  return (
    <div className="flex min-h-dvh flex-col">
      <PublicHeader isSignedIn={user === undefined ? undefined : user !== null}>
        <LinkButton
          to={PAGES.pricing}
          variant="ghost"
          size="sm"
          aria-current="page"
          className="max-sm:px-2 aria-[current=page]:text-ink"
        >
          <Trans>Pricing</Trans>
        </LinkButton>
      </PublicHeader>
      <DemoWarning />
      <PricingPage />
    </div>
  );
}
