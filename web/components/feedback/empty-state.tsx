import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { Ripples } from '../layout/ripples.tsx';

type EmptyStateProps = {
  icon: ReactNode;
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  className?: string;
};

/** What is missing, and the one action that changes it. */
export function EmptyState({ icon, title, description, action, className }: EmptyStateProps) {
  return (
    <div
      className={classNames(
        'relative isolate flex flex-col items-center overflow-hidden px-gutter max-[22rem]:px-0 py-20 text-center',
        // The rings fade out instead of being cut off at the top.
        '[mask-image:linear-gradient(to_bottom,transparent,black_4.5rem)]',
        className,
      )}
    >
      <Ripples
        motion="arrive"
        count={6}
        className="absolute top-[7rem] left-1/2 -z-10 size-[40rem] -translate-x-1/2 -translate-y-1/2"
      />
      <span className="grid size-16 place-items-center rounded-full border border-line-firm bg-canvas text-accent-ink [&_svg]:size-7">
        {icon}
      </span>
      <h2 className="mt-14 text-2xl">{title}</h2>
      {description && <p className="mt-2 max-w-[26rem] text-ink-soft">{description}</p>}
      {action && <div className="mt-7 flex flex-wrap justify-center gap-3">{action}</div>}
    </div>
  );
}
