import { HomeLink } from '../../components/layout/home-link.tsx';
import { ThemeToggle } from '../../components/layout/theme-toggle.tsx';

/** The top of the pages around an account: the way home and the theme, nothing that leads astray. */
export function AccountHeader() {
  return (
    <header className="absolute inset-x-0 top-0 z-20 flex min-h-18 items-center justify-between px-gutter">
      <HomeLink />
      <ThemeToggle />
    </header>
  );
}
