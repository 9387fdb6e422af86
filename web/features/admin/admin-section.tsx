import { type ReactNode, useId } from 'react';
import { classNames } from '../../lib/class-names.ts';

type AdminSectionProps = {
  title: string;
  id?: string;
  description?: ReactNode;
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
};

/** A part of a page: heading, at its end what acts on it, content. */
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
