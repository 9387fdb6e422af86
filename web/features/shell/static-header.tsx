import { Moon, Sun } from 'lucide-react';
import { PAGES } from '../../../contracts/values/pages.ts';
import { iconButtonClasses } from '../../components/button-style.ts';
import { HeaderBar } from '../../components/header-bar.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import { themeToggleLabel } from '../../lib/theme.ts';

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
