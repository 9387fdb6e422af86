import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CloudOff } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { errorDetail } from '../../../client/api-error.ts';
import { Button } from '../../components/actions/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { classNames } from '../../lib/class-names.ts';
import { DeletionBanner } from './system/deletion-banner.tsx';

type AdminPageProps = {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
};

export function AdminPage({ title, description, action, children }: AdminPageProps) {
  usePageTitle(t`${title} · Admin`);
  return (
    <>
      {/* Less space than on other pages, so that more rows of a table fit. */}
      <header className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-4 roomy:-mt-4">
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

type AdminSectionProps = {
  title: string;
  id?: string;
  description?: ReactNode;
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
};

export function AdminSection({ title, id, description, aside, className, children }: AdminSectionProps) {
  const titleId = useId();
  return (
    <section id={id} aria-labelledby={titleId} className={classNames('min-w-0 scroll-mt-20', className)}>
      <header className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 id={titleId} className="text-xl">
          {title}
        </h2>
        {aside}
      </header>
      {description && <p className="-mt-2 mb-5 max-w-[40rem] text-sm text-ink-soft">{description}</p>}
      {children}
    </section>
  );
}

const ROWS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

export function LoadingRows() {
  return (
    <SkeletonGroup label={t`Loading`} className="flex flex-col gap-3">
      <Skeleton className="mb-1 h-5 w-full" />
      {ROWS.map((row) => (
        <Skeleton key={row} className="h-10 w-full" />
      ))}
    </SkeletonGroup>
  );
}

/** Replaces content that failed to load. */
export function Failure({ title, error, onRetry }: { title: string; error: Error; onRetry: () => void }) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title={title}
      description={errorDetail(error)}
      action={
        <Button onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
      }
    />
  );
}
