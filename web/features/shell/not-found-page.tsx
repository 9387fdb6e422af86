import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { PublicHeader } from './public-header.tsx';

/** For unknown paths, and for admin pages if the user is not an admin. */
export function NotFoundPage({ isSignedIn }: { isSignedIn: boolean | undefined }) {
  usePageTitle(t`Not Found`);
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-hidden">
      <PublicHeader isSignedIn={isSignedIn} />
      <Ripples
        motion="arrive"
        count={9}
        view="slanted"
        className="absolute top-[82%] left-1/2 -z-10 w-[max(88rem,120vw)] -translate-x-1/2 -translate-y-1/2"
      />
      <main
        id="main"
        tabIndex={-1}
        className="frame flex grow flex-col items-center justify-center pb-chapter text-center outline-none"
      >
        <h1 className="max-w-[12ch] text-display">
          <Trans>404 Page Not Found</Trans>
        </h1>
        <p className="mt-6 text-lg text-ink-soft">
          <Trans>Did you forget to add the page to the router?</Trans>
        </p>
        <div className="mt-10">
          {isSignedIn ? (
            <LinkButton to={PAGES.dashboard} size="lg">
              <Trans>Back to the dashboard</Trans>
            </LinkButton>
          ) : (
            // Hidden until the session is known, so that the button doesn't change before a click.
            <LinkButton
              to="/"
              reloadDocument
              size="lg"
              className={isSignedIn === undefined ? 'invisible' : ''}
            >
              <Trans>Back to the home page</Trans>
            </LinkButton>
          )}
        </div>
      </main>
    </div>
  );
}
