import { t } from '@lingui/core/macro';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { Link } from '../../lib/routing.tsx';
import { Logo } from './logo.tsx';

/** Links to the landing page, which is a separate document. */
export function HomeLink() {
  return (
    <Link to={PAGES.landing} reloadDocument aria-label={t`Sendwell home`} className="rounded-full py-1 pr-2">
      {/* The narrowest windows have no room for the name beside the header's buttons. */}
      <Logo className="max-[23.5rem]:[&>span]:hidden" />
    </Link>
  );
}
