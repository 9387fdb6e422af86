import {
  Activity,
  ChartNoAxesColumn,
  Files,
  FolderOpen,
  Gauge,
  Inbox,
  type LucideIcon,
  Megaphone,
  ScrollText,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  TicketPercent,
  Upload,
  UserPlus,
  Users,
} from 'lucide-react';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/pages.ts';

export type NavigationItem = {
  label: string;
  path: string;
  icon: LucideIcon;
  /** Left out: everybody sees it. */
  isVisible?: (user: CurrentUser) => boolean;
};

export type NavigationGroup = NavigationItem & { items: NavigationItem[] };

export const NAVIGATION: (NavigationItem | NavigationGroup)[] = [
  { label: 'My Transfers', path: '/dashboard', icon: Files },
  { label: 'Upload Files', path: '/dashboard/upload', icon: Upload },
  {
    label: 'Analytics',
    path: PAGES.analytics,
    icon: ChartNoAxesColumn,
    isVisible: ({ tier }) => tierIncludes(tier, 'analytics'),
  },
  { label: 'Settings', path: '/dashboard/settings', icon: Settings },
  {
    label: 'Upload Invitations',
    path: PAGES.invitations,
    icon: Inbox,
    isVisible: ({ tier }) => tierIncludes(tier, 'invitations'),
  },
  {
    label: 'Admin Panel',
    path: PAGES.admin,
    icon: ShieldCheck,
    isVisible: ({ isAdmin }) => isAdmin,
    items: [
      { label: 'Dashboard', path: PAGES.adminDashboard, icon: Gauge },
      { label: 'Users', path: PAGES.adminUsers, icon: Users },
      { label: 'Transfers', path: PAGES.adminTransfers, icon: FolderOpen },
      { label: 'Coupons', path: PAGES.adminCoupons, icon: TicketPercent },
      { label: 'Ads', path: PAGES.adminAds, icon: Megaphone },
      { label: 'Tier Settings', path: PAGES.adminSettings, icon: SlidersHorizontal },
      { label: 'Registration', path: PAGES.adminRegistration, icon: UserPlus },
      { label: 'System', path: PAGES.adminSystem, icon: Activity },
      { label: 'Audit Log', path: PAGES.adminAudit, icon: ScrollText },
    ],
  },
];
