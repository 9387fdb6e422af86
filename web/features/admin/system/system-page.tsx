import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { AdminPage } from '../admin-page.tsx';
import { ChecksSection } from './checks-section.tsx';
import { DamageSection } from './damage-section.tsx';
import { JobsSection } from './jobs-section.tsx';
import { MailsSection } from './mails-section.tsx';
import { ProxySection } from './proxy-section.tsx';

/** Whether the installation has what it needs, and what it could not do. */
export function AdminSystemPage() {
  useHashTarget();
  return (
    <AdminPage title="System">
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

/** Goes to the part that the address names, which browsers do on page loads only. */
export function useHashTarget(): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);
}
