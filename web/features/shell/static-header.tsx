import { Moon, Sun } from 'lucide-react';
import { PAGES } from '../../../contracts/values/pages.ts';
import { iconButtonClasses } from '../../components/actions/button-style.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { HeaderBar } from '../../components/layout/header-bar.tsx';
import { SessionLink } from '../../components/layout/session-link.tsx';
import { themeToggleLabel } from '../../lib/browser/theme.ts';

/** The header of the prerendered pages; static-script.ts activates its theme toggle. */
export function StaticHeader() {
  return (
    <HeaderBar>
      <LinkButton to="/pricing" variant="ghost" size="sm" className="max-sm:px-2">
        Pricing
      </LinkButton>
      <button
        type="button"
        data-theme-toggle
        aria-label={themeToggleLabel('dark')}
        className={iconButtonClasses('ghost', 'md', 'noscript:hidden')}
      >
        <Sun aria-hidden="true" className="not-dark:hidden" />
        <Moon aria-hidden="true" className="dark:hidden" />
      </button>
      <SessionLink
        variant="secondary"
        size="sm"
        signedOut={{ to: PAGES.auth, label: 'Sign In' }}
        signedIn={{ to: PAGES.dashboard, label: 'Dashboard' }}
      />
    </HeaderBar>
  );
}
