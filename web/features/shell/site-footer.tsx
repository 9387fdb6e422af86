import { Link } from 'react-router';
import { API_REFERENCE_PATH } from '../../../contracts/system.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { HomeLink } from '../../components/layout/home-link.tsx';

const DESTINATIONS = [
  { label: 'Pricing', path: '/pricing' },
  { label: 'API', path: API_REFERENCE_PATH },
  { label: 'Terms', path: PAGES.terms },
  { label: 'Privacy', path: PAGES.privacy },
  { label: 'Sign In', path: PAGES.auth },
];

export function SiteFooter() {
  return (
    <footer className="relative border-t border-line print:hidden">
      <div className="frame flex flex-wrap items-center justify-between gap-x-10 gap-y-4 py-8">
        <HomeLink />
        <nav aria-label="Footer">
          <ul className="-mx-2 flex flex-wrap text-sm text-ink-soft">
            {DESTINATIONS.map(({ label, path }) => (
              <li key={path}>
                <Link to={path} className="block rounded-xs px-2.5 py-2 hover:text-ink hover:underline">
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  );
}
