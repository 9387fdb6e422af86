import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';

type SectionProps = { title: string; aside?: ReactNode; className?: string; children: ReactNode };

export function Section({ title, aside, className, children }: SectionProps) {
  return (
    <section className={classNames('min-w-0', className)}>
      <header className="mb-4 flex min-h-8 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 className="text-xl">{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
