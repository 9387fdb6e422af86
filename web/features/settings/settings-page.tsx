import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { type TierName, tierIncludes } from '../../../contracts/plans/tiers.ts';
import { useSession } from '../../api/session.ts';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { ApiKeysSection } from './api-keys/api-keys-section.tsx';
import { BackgroundSection } from './background/background-section.tsx';
import { DeviceSection } from './device/device-section.tsx';
import { NotificationsSection } from './notifications/notifications-section.tsx';
import { PlanSection } from './plan/plan-section.tsx';
import { UsageSection } from './plan/usage-section.tsx';
import { ProfileSection } from './profile/profile-section.tsx';
import { DeleteAccountSection } from './security/delete-account-section.tsx';
import { PasswordSection } from './security/password-section.tsx';
import { SessionsSection } from './security/sessions-section.tsx';
import { SECTIONS, type SectionId, sectionsOf } from './settings-section.tsx';
import { UnsavedChangesGuard } from './unsaved-changes.tsx';
import { WebhooksSection } from './webhooks/webhooks-section.tsx';

export function SettingsPage() {
  usePageTitle(t`Settings`);
  useEffect(goToFragment, []);
  const { user } = useSession();
  if (!user) return null;
  return (
    <UnsavedChangesGuard>
      <h1 className="text-3xl">
        <Trans>Settings</Trans>
      </h1>
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
          <DeviceSection />
          <SessionsSection />
          <DeleteAccountSection user={user} />
        </div>
      </div>
    </UnsavedChangesGuard>
  );
}

/** The page renders too late for the browser to scroll to the fragment by itself. */
function goToFragment(): void {
  const { hash } = window.location;
  if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
}

/** A section is current once its top is in the upper third of the window. */
const READING_LINE = 1 / 3;

function SectionNav({ tier, className }: { tier: TierName; className: string }) {
  const current = useCurrentSection();
  return (
    <nav aria-label={t`Settings sections`} className={className}>
      <ul className="sticky top-[calc(var(--topbar)+1.5rem)] flex flex-col gap-0.5">
        {sectionsOf(tier).map(({ id, label }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current ? 'location' : undefined}
              className={
                '-ml-3.5 block rounded-full px-3.5 py-1.5 text-sm text-ink-soft transition-colors ' +
                'duration-(--quick) hover:bg-hover hover:text-ink ' +
                'aria-[current=location]:font-medium aria-[current=location]:text-accent-ink'
              }
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function useCurrentSection(): SectionId {
  const [current, setCurrent] = useState<SectionId>(SECTIONS[0].id);
  useEffect(() => {
    const update = () => setCurrent(findCurrentSection());
    const events = ['scroll', 'resize', 'hashchange'];
    update();
    for (const event of events) window.addEventListener(event, update, { passive: true });
    return () => {
      for (const event of events) window.removeEventListener(event, update);
    };
  }, []);
  return current;
}

function findCurrentSection(): SectionId {
  const risen = SECTIONS.filter(({ id }) => topOf(id) <= window.innerHeight * READING_LINE);
  // The last sections are too short to scroll that far up; prefer the one in the address.
  const { scrollHeight } = document.documentElement;
  const isAtEnd = window.scrollY > 0 && window.scrollY + window.innerHeight >= scrollHeight - 2;
  if (isAtEnd) {
    const asked = SECTIONS.find(({ id }) => `#${id}` === window.location.hash);
    const isInView = asked && topOf(asked.id) > 0;
    return isInView ? asked.id : SECTIONS.at(-1)!.id;
  }
  return risen.at(-1)?.id ?? SECTIONS[0].id;
}

/** In pixels from the top of the window. */
function topOf(id: SectionId): number {
  return document.getElementById(id)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
}
