import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Suspense, useEffect } from 'react';
import { Redirect } from 'wouter';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { useSession } from '../../api/session/session.ts';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { usePlace } from '../../lib/routing.tsx';
import { SettingsNav } from './settings-nav.tsx';
import { PARTS, type SettingsPart } from './settings-parts.ts';
import { UnsavedChangesGuard } from './unsaved-changes.tsx';

export function SettingsPage() {
  const { user } = useSession();
  const { pathname, search, hash } = usePlace();
  if (!user) return null;
  const visible = PARTS.filter(({ isVisible }) => isVisible?.(user) ?? true);
  const asked = visible.find(({ path }) => path === pathname.replace(/\/$/, ''));
  if (!asked) return <Redirect to={PAGES.settings} replace />;
  // Mails and bookmarks from before the parts had addresses name a section in the fragment.
  const named = visible.find(({ fragments }) => fragments.includes(hash.slice(1)));
  if (named && named !== asked) {
    const fragment = hash.slice(1) === named.fragments[0] ? '' : hash;
    return <Redirect to={named.path + search + fragment} replace />;
  }
  return (
    <UnsavedChangesGuard>
      <h1 className="text-3xl">
        <Trans>Settings</Trans>
      </h1>
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] gap-x-16 gap-y-8 lg:mt-rhythm lg:grid-cols-[10.5rem_minmax(0,42rem)]">
        <SettingsNav parts={visible} current={asked} />
        <div className="min-w-0">
          <CurrentPart key={asked.path} part={asked} user={user} />
        </div>
      </div>
    </UnsavedChangesGuard>
  );
}

function CurrentPart({ part: { path, label, Part }, user }: { part: SettingsPart; user: CurrentUser }) {
  usePageTitle(path === PAGES.settings ? t`Settings` : t`${label} · Settings`);
  return (
    <Suspense fallback={<LoadingPart />}>
      <Part user={user} />
      <FragmentTarget />
    </Suspense>
  );
}

/** Scrolls to the section in the address, which is rendered too late for the browser to do that by itself. */
function FragmentTarget() {
  const { hash } = usePlace();
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);
  return null;
}

/** Shown while the part's code loads, after a delay that avoids a flash. */
function LoadingPart() {
  return (
    <SkeletonGroup label={t`Loading the page`} className="animate-fade-in [animation-delay:200ms]">
      <Skeleton className="h-8 w-40" />
      <Skeleton className="mt-8 h-24" />
      <Skeleton className="mt-4 h-24" />
    </SkeletonGroup>
  );
}
