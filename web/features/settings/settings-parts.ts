import { t } from '@lingui/core/macro';
import type { ComponentType, LazyExoticComponent } from 'react';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { lazy } from '../../lib/loading/lazy.ts';

type PartProps = { user: CurrentUser };

export type SettingsPart = {
  path: string;
  label: string;
  /** The sections of the part. Fragments of `/dashboard/settings` that name one lead to the part. */
  fragments: readonly string[];
  /** Omit it to show the part to everyone. */
  isVisible?: (user: CurrentUser) => boolean;
  Part: LazyExoticComponent<ComponentType<PartProps>>;
  /** Loads the code ahead of a click. */
  preload: () => void;
};

function lazily<Name extends string>(
  load: () => Promise<{ [name in Name]: ComponentType<PartProps> }>,
  name: Name,
) {
  return {
    Part: lazy(async () => ({ default: (await load())[name] })),
    // A failure shows when the part is opened.
    preload: () => void load().catch(() => undefined),
  };
}

/** In the order of the navigation; the first is the default. */
export const PARTS: readonly [SettingsPart, ...SettingsPart[]] = [
  {
    path: PAGES.settings,
    label: t`Profile`,
    fragments: ['profile', 'password'],
    ...lazily(() => import('./profile/profile-part.tsx'), 'ProfilePart'),
  },
  {
    path: PAGES.settingsPlan,
    label: t`Plan`,
    fragments: ['plan', 'usage'],
    ...lazily(() => import('./plan/plan-part.tsx'), 'PlanPart'),
  },
  {
    path: PAGES.settingsSecurity,
    label: t`Security`,
    fragments: [
      'passkeys',
      'authenticator',
      'recovery-codes',
      'sign-in-providers',
      'sessions',
      'delete-account',
    ],
    ...lazily(() => import('./security/security-part.tsx'), 'SecurityPart'),
  },
  {
    path: PAGES.settingsNotifications,
    label: t`Notifications`,
    fragments: ['notifications'],
    ...lazily(() => import('./notifications/notifications-section.tsx'), 'NotificationsSection'),
  },
  {
    path: PAGES.settingsBackground,
    label: t`Download background`,
    fragments: ['background'],
    isVisible: ({ tier }) => tierIncludes(tier, 'background'),
    ...lazily(() => import('./background/background-section.tsx'), 'BackgroundSection'),
  },
  {
    path: PAGES.settingsApiKeys,
    label: t`API keys`,
    fragments: ['api-keys'],
    ...lazily(() => import('./api-keys/api-keys-section.tsx'), 'ApiKeysSection'),
  },
  {
    path: PAGES.settingsWebhooks,
    label: t`Webhooks`,
    fragments: ['webhooks'],
    ...lazily(() => import('./webhooks/webhooks-section.tsx'), 'WebhooksSection'),
  },
  {
    path: PAGES.settingsDevice,
    label: t`This device`,
    fragments: ['device', 'keys'],
    ...lazily(() => import('./device/device-part.tsx'), 'DevicePart'),
  },
];
