import { t } from '@lingui/core/macro';
import { PanelLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ShownUser } from '../../api/session/last-user.ts';
import { IconButton } from '../../components/actions/icon-button.tsx';
import { ThemeToggle } from '../../components/layout/theme-toggle.tsx';
import { CommandLayer } from './commands/command-layer.tsx';
import { DashboardSidebar } from './dashboard-sidebar.tsx';
import { UploadPill } from './upload-pill.tsx';
import { useSidebar } from './use-sidebar.ts';

type DashboardShellProps = {
  user: ShownUser;
  onLogout: () => void;
  /** A notice about the whole installation, above the page. */
  notice?: ReactNode;
  children: ReactNode;
};

export function DashboardShell({ user, onLogout, notice, children }: DashboardShellProps) {
  const sidebar = useSidebar();
  return (
    <div className="flex min-h-dvh">
      <DashboardSidebar user={user} sidebar={sidebar} onLogout={onLogout} />
      <div className="flex min-w-0 grow flex-col">
        <header className="sticky top-0 z-30 flex h-topbar items-center justify-between border-b border-line bg-canvas pr-[max(0.5rem,env(safe-area-inset-right))] pl-[max(0.5rem,env(safe-area-inset-left))]">
          <IconButton
            label={t`Toggle sidebar`}
            icon={<PanelLeft />}
            tooltip="bottom"
            aria-expanded={sidebar.isMobile ? sidebar.isSheetOpen : !sidebar.isCollapsed}
            aria-keyshortcuts="Control+B Meta+B"
            onClick={sidebar.toggle}
          />
          <div className="flex min-w-0 items-center gap-1">
            <UploadPill />
            <CommandLayer user={user} onLogout={onLogout} />
            <ThemeToggle />
          </div>
        </header>
        {notice}
        <main id="main" tabIndex={-1} className="frame grow py-rhythm outline-none">
          {children}
        </main>
      </div>
    </div>
  );
}
