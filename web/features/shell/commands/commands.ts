import { t } from '@lingui/core/macro';
import {
  Bell,
  FileUp,
  Gem,
  Image,
  Keyboard,
  KeyRound,
  LockKeyhole,
  LogOut,
  type LucideIcon,
  Monitor,
  MonitorSmartphone,
  Moon,
  ShieldCheck,
  Sun,
  Tag,
  Webhook,
} from 'lucide-react';
import { tierIncludes } from '../../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import type { ShownUser } from '../../../api/session/last-user.ts';
import { setThemeChoice } from '../../../lib/browser/theme.ts';
import { isGroup, NAVIGATION, type NavigationItem } from '../dashboard-sidebar.tsx';

export type Command = {
  id: string;
  label: string;
  group: string;
  icon: LucideIcon;
  /** Other words by which it is found. */
  keywords?: string;
  /** Shown at the end of the row. */
  detail?: string;
} & ({ path: string } | { run: () => void });

type CommandActions = { user: ShownUser; onLogout: () => void; onShowShortcuts: () => void };

/** Everything but transfers, in the order shown. */
export function listCommands({ user, onLogout, onShowShortcuts }: CommandActions): Command[] {
  return [...listActions({ onLogout, onShowShortcuts }), ...listPages(user), ...listSettings(user)];
}

function listSettings(user: ShownUser): Command[] {
  const group = t`Settings`;
  const parts = [
    { path: PAGES.settingsPlan, label: t`Plan`, icon: Gem },
    { path: PAGES.settingsSecurity, label: t`Security`, icon: ShieldCheck },
    { path: PAGES.settingsNotifications, label: t`Notifications`, icon: Bell },
    { path: PAGES.settingsBackground, label: t`Download background`, icon: Image },
    { path: PAGES.settingsApiKeys, label: t`API keys`, icon: KeyRound },
    { path: PAGES.settingsWebhooks, label: t`Webhooks`, icon: Webhook },
    { path: PAGES.settingsDevice, label: t`This device`, icon: MonitorSmartphone },
  ];
  return parts
    .filter(({ path }) => path !== PAGES.settingsBackground || tierIncludes(user.tier, 'background'))
    .map((part) => toCommand(part, group));
}

function listActions({ onLogout, onShowShortcuts }: Omit<CommandActions, 'user'>): Command[] {
  const group = t`Actions`;
  const light = t`Light theme`;
  return [
    {
      id: 'upload',
      label: t`New upload`,
      keywords: t`send share transfer`,
      icon: FileUp,
      path: PAGES.upload,
    },
    {
      id: 'secret-text',
      label: t`New secret text`,
      keywords: t`send password once note`,
      icon: LockKeyhole,
      path: PAGES.secretText,
    },
    {
      id: 'shortcuts',
      label: t`Keyboard shortcuts`,
      keywords: t`help keys`,
      icon: Keyboard,
      run: onShowShortcuts,
    },
    {
      id: 'dark',
      label: t`Dark theme`,
      keywords: t`appearance`,
      icon: Moon,
      run: () => setThemeChoice('dark'),
    },
    { id: 'light', label: light, keywords: t`appearance`, icon: Sun, run: () => setThemeChoice('light') },
    {
      id: 'system',
      label: t`System theme`,
      keywords: t`appearance`,
      icon: Monitor,
      run: () => setThemeChoice('system'),
    },
    { id: 'logout', label: t`Logout`, keywords: t`sign out leave`, icon: LogOut, run: onLogout },
  ].map((command) => ({ ...command, group }));
}

function listPages(user: ShownUser): Command[] {
  const pages = NAVIGATION.filter(({ isVisible }) => isVisible?.(user) ?? true).flatMap((item) =>
    isGroup(item) ? item.items.map((page) => toCommand(page, item.label)) : [toCommand(item, t`Pages`)],
  );
  const firstOfGroup = pages.findIndex(({ group }) => group !== t`Pages`);
  const pricing: Command = {
    id: PAGES.pricing,
    label: t`Pricing`,
    keywords: t`plans upgrade`,
    group: t`Pages`,
    icon: Tag,
    path: PAGES.pricing,
  };
  if (pages.some((page) => 'path' in page && page.path === PAGES.pricing)) return pages;
  return pages.toSpliced(firstOfGroup < 0 ? pages.length : firstOfGroup, 0, pricing);
}

function toCommand({ label, path, icon }: NavigationItem, group: string): Command {
  return { id: path, label, path, icon, group };
}

/** Those that have a word beginning with each typed word; those whose label begins with the text come first. */
export function findCommands(commands: Command[], text: string): Command[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands;
  const found = commands.filter(({ label, group, keywords = '' }) => {
    const known = fold(`${label} ${group} ${keywords}`).split(/\s+/);
    return words.every((word) => known.some((each) => each.startsWith(word)));
  });
  return found.toSorted((a, b) => rankOf(a, words[0]!) - rankOf(b, words[0]!));
}

function rankOf({ label }: Command, word: string): number {
  const place = fold(label).indexOf(word);
  return place === 0 ? 0 : place > 0 ? 1 : 2;
}

/** Without case and accents. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
