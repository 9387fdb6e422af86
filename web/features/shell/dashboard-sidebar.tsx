import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  Activity,
  ChartNoAxesColumn,
  Files,
  FolderOpen,
  Gauge,
  Inbox,
  KeyRound,
  LogOut,
  type LucideIcon,
  Megaphone,
  ScrollText,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Sparkles,
  TicketPercent,
  Upload,
  UserPlus,
  Users,
} from 'lucide-react';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import type { ShownUser } from '../../api/session/last-user.ts';
import { Logo } from '../../components/layout/logo.tsx';
import {
  Sheet,
  Sidebar,
  SidebarAction,
  SidebarContent,
  SidebarGroup,
  SidebarLink,
} from '../../components/layout/sidebar.tsx';
import { Link } from '../../lib/routing.tsx';
import type { SidebarState } from './use-sidebar.ts';

type DashboardSidebarProps = { user: ShownUser; sidebar: SidebarState; onLogout: () => void };

export function DashboardSidebar({ user, sidebar, onLogout }: DashboardSidebarProps) {
  const isCollapsed = sidebar.isCollapsed && !sidebar.isMobile;
  const closeSheet = () => sidebar.setSheetOpen(false);
  const parts = {
    label: t`Main`,
    isCollapsed,
    header: <SidebarHeader isCollapsed={isCollapsed} />,
    footer: <SidebarFooter {...{ user, isCollapsed, onLogout }} />,
    children: <Destinations {...{ user, isCollapsed, onNavigate: closeSheet }} />,
  };
  if (!sidebar.isMobile) return <Sidebar {...parts} />;
  return (
    <Sheet isOpen={sidebar.isSheetOpen} onOpenChange={sidebar.setSheetOpen} label={t`Navigation`}>
      <SidebarContent {...parts} />
    </Sheet>
  );
}

function SidebarHeader({ isCollapsed }: { isCollapsed: boolean }) {
  return (
    <Link
      to="/"
      reloadDocument
      aria-label={t`Sendwell home`}
      className={isCollapsed ? 'grid h-10 w-full place-items-center rounded-full' : 'rounded-full px-2 py-1'}
    >
      <Logo variant={isCollapsed ? 'mark' : 'full'} />
    </Link>
  );
}

type DestinationsProps = { user: ShownUser; isCollapsed: boolean; onNavigate: () => void };

function Destinations({ user, isCollapsed, onNavigate }: DestinationsProps) {
  const renderLink = ({ label, path, icon: Icon, hasParts = false }: NavigationItem) => (
    <SidebarLink
      key={path}
      to={path}
      label={label}
      icon={<Icon aria-hidden="true" />}
      isExact={!hasParts}
      isCollapsed={isCollapsed}
      onNavigate={onNavigate}
    />
  );
  return NAVIGATION.filter((item) => item.isVisible?.(user) ?? true).map((item) => {
    if (!isGroup(item)) return renderLink(item);
    const GroupIcon = item.icon;
    return (
      <SidebarGroup
        key={item.path}
        label={item.label}
        icon={<GroupIcon aria-hidden="true" />}
        isCollapsed={isCollapsed}
      >
        {item.items.map(renderLink)}
      </SidebarGroup>
    );
  });
}

export function isGroup(item: NavigationItem | NavigationGroup): item is NavigationGroup {
  return 'items' in item;
}

type SidebarFooterProps = { user: ShownUser; isCollapsed: boolean; onLogout: () => void };

function SidebarFooter({ user, isCollapsed, onLogout }: SidebarFooterProps) {
  const { username } = user;
  return (
    <div className="flex flex-col gap-1">
      {!isCollapsed && (
        <p className="min-w-0 px-3.5 pb-1 text-xs text-ink-faint">
          <Trans>
            Signed in as <span className="block truncate text-sm font-medium text-ink">{username}</span>
          </Trans>
        </p>
      )}
      <SidebarAction
        label={t`Logout`}
        icon={<LogOut aria-hidden="true" />}
        isCollapsed={isCollapsed}
        onClick={onLogout}
      />
    </div>
  );
}

export type NavigationItem = {
  label: string;
  path: string;
  icon: LucideIcon;
  /** Current at the addresses below its own, too. */
  hasParts?: boolean;
  /** Omit it to show the entry to everyone. */
  isVisible?: (user: ShownUser) => boolean;
};

type NavigationGroup = NavigationItem & { items: NavigationItem[] };

export const NAVIGATION: (NavigationItem | NavigationGroup)[] = [
  { label: t`My Transfers`, path: '/dashboard', icon: Files },
  { label: t`Upload Files`, path: '/dashboard/upload', icon: Upload, hasParts: true },
  {
    label: t`Analytics`,
    path: PAGES.analytics,
    icon: ChartNoAxesColumn,
    isVisible: ({ tier }) => tierIncludes(tier, 'analytics'),
  },
  { label: t`Settings`, path: PAGES.settings, icon: Settings, hasParts: true },
  {
    label: t`Upload Invitations`,
    path: PAGES.invitations,
    icon: Inbox,
    isVisible: ({ tier }) => tierIncludes(tier, 'invitations'),
  },
  { label: t`Upgrade`, path: PAGES.pricing, icon: Sparkles, isVisible: ({ tier }) => tier === 'free' },
  {
    label: t`Admin Panel`,
    path: PAGES.admin,
    icon: ShieldCheck,
    isVisible: ({ isAdmin }) => isAdmin,
    items: [
      { label: t`Dashboard`, path: PAGES.adminDashboard, icon: Gauge },
      { label: t`Users`, path: PAGES.adminUsers, icon: Users },
      { label: t`Transfers`, path: PAGES.adminTransfers, icon: FolderOpen },
      { label: t`Coupons`, path: PAGES.adminCoupons, icon: TicketPercent },
      { label: t`Ads`, path: PAGES.adminAds, icon: Megaphone },
      { label: t`Tier Settings`, path: PAGES.adminSettings, icon: SlidersHorizontal },
      { label: t`Registration`, path: PAGES.adminRegistration, icon: UserPlus },
      { label: t`Single sign-on`, path: PAGES.adminSingleSignOn, icon: KeyRound },
      { label: t`System`, path: PAGES.adminSystem, icon: Activity },
      { label: t`Audit Log`, path: PAGES.adminAudit, icon: ScrollText },
    ],
  },
];
