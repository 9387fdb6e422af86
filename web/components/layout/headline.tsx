import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';

type HeadlineProps = { title: string; children?: ReactNode };

/** A page's title. Long titles get a smaller font. */
export function Headline({ title, children }: HeadlineProps) {
  return (
    <>
      <h1 className={classNames('max-w-[20em] wrap-anywhere', sizeFor(title))}>
        <bdi>{title}</bdi>
      </h1>
      {children}
    </>
  );
}

function sizeFor(title: string): string {
  if (title.length <= 32) return 'text-display';
  return title.length <= 80 ? 'text-4xl' : 'text-3xl';
}
