import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { usePlace } from '../../../lib/routing.tsx';
import { AdminPage } from '../admin-page.tsx';
import { ChecksSection } from './checks-section.tsx';
import { DamageSection } from './damage-section.tsx';
import { JobsSection } from './jobs-section.tsx';
import { MailsSection } from './mails-section.tsx';
import { ProxySection } from './proxy-section.tsx';

export function AdminSystemPage() {
  useHashTarget();
  return (
    <AdminPage title={t`System`}>
      <div className="flex flex-col gap-16">
        <ChecksSection />
        <ProxySection />
        <DamageSection />
        <MailsSection />
        <JobsSection />
      </div>
    </AdminPage>
  );
}

/** Scrolls to the address's fragment; browsers do that on full page loads only. */
function useHashTarget(): void {
  const { hash } = usePlace();
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);
}
