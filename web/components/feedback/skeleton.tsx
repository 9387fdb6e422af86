import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';

/** Placeholder for content that is loading. Give it the size of that content. A span, because buttons and paragraphs contain no blocks. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className={classNames('block animate-breathe rounded-sm bg-press', className)} />
  );
}

/** Announces once to screen readers that content is loading. */
export function SkeletonGroup({ label = t`Loading`, className, children }: SkeletonGroupProps) {
  return (
    <div role="status" aria-busy="true" className={className}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}

type SkeletonGroupProps = { label?: string; className?: string; children: ReactNode };
