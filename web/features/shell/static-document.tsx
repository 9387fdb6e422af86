import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { API_REFERENCE_PATH } from '../../../contracts/system.ts';
import { SITE_CARD_PATH } from '../../../contracts/values/addresses/links.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { iconButtonClasses } from '../../components/actions/button-style.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { HeaderBar } from '../../components/layout/header-bar.tsx';
import { HomeLink } from '../../components/layout/home-link.tsx';
import { SessionLink } from '../../components/layout/session-link.tsx';
import { THEME_TOGGLE_LABELS } from '../../lib/browser/use-theme.ts';
import { i18n } from '../../lib/language/messages.tsx';
import { Link } from '../../lib/routing.tsx';

type StaticDocumentProps = { title: string; description: string; children: ReactNode };

/** The whole HTML of a prerendered page. Vite replaces the source paths in its head with the built ones. */
export function StaticDocument({ title, description, children }: StaticDocumentProps) {
  return (
    <html lang={i18n.locale} data-theme="dark">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="dark light" />
        <meta name="theme-color" content="#0a0f0c" />
        <meta name="description" content={description} />
        <meta name="referrer" content="no-referrer" />
        <meta property="og:site_name" content="Sendwell" />
        <meta property="og:type" content="website" />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        {/* Built without knowing the site's address, so only programs that resolve it show the picture. */}
        <meta property="og:image" content={SITE_CARD_PATH} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <title>{title}</title>
        <script src="/theme.js" />
        <link rel="stylesheet" href="/styles/global.css" />
        <script type="module" src="/app/static-script.ts" />
      </head>
      <body>
        <a
          href="#main"
          className="sr-only rounded-full bg-accent px-5 py-2.5 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-60"
        >
          <Trans>Skip to content</Trans>
        </a>
        {children}
      </body>
    </html>
  );
}

/** The header of the prerendered pages; static-script.ts activates its theme toggle. */
export function StaticHeader() {
  return (
    <HeaderBar>
      <LinkButton to="/pricing" variant="ghost" size="sm" className="max-sm:px-2">
        <Trans>Pricing</Trans>
      </LinkButton>
      <button
        type="button"
        data-theme-toggle
        aria-label={THEME_TOGGLE_LABELS.dark}
        data-label-dark={THEME_TOGGLE_LABELS.dark}
        data-label-light={THEME_TOGGLE_LABELS.light}
        data-label-system={THEME_TOGGLE_LABELS.system}
        className={iconButtonClasses('ghost', 'md', 'noscript:hidden')}
      >
        <Sun
          aria-hidden="true"
          className="in-data-[theme-choice=light]:hidden in-data-[theme-choice=system]:hidden"
        />
        <Monitor aria-hidden="true" className="hidden in-data-[theme-choice=light]:block" />
        <Moon aria-hidden="true" className="hidden in-data-[theme-choice=system]:block" />
      </button>
      <SessionLink
        variant="secondary"
        size="sm"
        signedOut={{ to: PAGES.auth, label: t`Sign In` }}
        signedIn={{ to: PAGES.dashboard, label: t`Dashboard` }}
      />
    </HeaderBar>
  );
}

const DESTINATIONS = [
  { label: t`Pricing`, path: '/pricing' },
  { label: t`API`, path: API_REFERENCE_PATH },
  { label: t`Terms`, path: PAGES.terms },
  { label: t`Privacy`, path: PAGES.privacy },
  { label: t`Sign In`, path: PAGES.auth },
];

export function SiteFooter() {
  return (
    <footer className="relative border-t border-line print:hidden">
      <div className="frame flex flex-wrap items-center justify-between gap-x-10 gap-y-4 py-8">
        <HomeLink />
        <nav aria-label={t`Footer`}>
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
