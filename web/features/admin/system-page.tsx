import { AdminPage } from './admin-page.tsx';
import { ChecksSection } from './checks-section.tsx';
import { DamageSection } from './damage-section.tsx';
import { JobsSection } from './jobs-section.tsx';
import { MailsSection } from './mails-section.tsx';
import { ProxySection } from './proxy-section.tsx';
import { useHashTarget } from './use-hash-target.ts';

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
