import type { ReactNode } from 'react';
import { usePageTitle } from '../../lib/page-title.ts';
import { DeletionBanner } from './deletion-banner.tsx';

type AdminPageProps = {
  title: string;
  description?: ReactNode;
  /** The page's one main act. */
  action?: ReactNode;
  children: ReactNode;
};

/** What every section of the admin area begins with. */
export function AdminPage({ title, description, action, children }: AdminPageProps) {
  usePageTitle(`${title} · Admin`);
  return (
    <>
      <header className="mb-7 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 className="text-3xl">{title}</h1>
          {description && <p className="mt-2 max-w-[40rem] text-ink-soft">{description}</p>}
        </div>
        {action}
      </header>
      <DeletionBanner />
      {children}
    </>
  );
}
