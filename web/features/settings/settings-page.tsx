import { useEffect } from 'react';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import { useSession } from '../../api/session.ts';
import { usePageTitle } from '../../lib/page-title.ts';
import { ApiKeysSection } from './api-keys-section.tsx';
import { BackgroundSection } from './background-section.tsx';
import { DeleteAccountSection } from './delete-account-section.tsx';
import { NotificationsSection } from './notifications-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { PlanSection } from './plan-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SectionNav } from './section-nav.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { UnsavedChangesGuard } from './unsaved-changes.tsx';
import { UsageSection } from './usage-section.tsx';
import { WebhooksSection } from './webhooks-section.tsx';

export function SettingsPage() {
  usePageTitle('Settings');
  useEffect(goToFragment, []);
  const { user } = useSession();
  if (!user) return null;
  return (
    <UnsavedChangesGuard>
      <h1 className="text-3xl">Settings</h1>
      <div className="mt-rhythm grid gap-x-16 lg:grid-cols-[10.5rem_minmax(0,42rem)]">
        <SectionNav tier={user.tier} className="max-lg:hidden" />
        <div className="min-w-0">
          <ProfileSection user={user} />
          <PasswordSection user={user} />
          <PlanSection user={user} />
          <UsageSection user={user} />
          {tierIncludes(user.tier, 'background') && <BackgroundSection />}
          <NotificationsSection user={user} />
          <ApiKeysSection user={user} />
          <WebhooksSection user={user} />
          <SessionsSection />
          <DeleteAccountSection user={user} />
        </div>
      </div>
    </UnsavedChangesGuard>
  );
}

/** The page comes after its address: what the fragment names did not exist when the browser looked for it. */
function goToFragment(): void {
  const { hash } = window.location;
  if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
}
