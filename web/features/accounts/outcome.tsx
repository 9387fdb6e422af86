import { type ReactNode, useEffect, useRef } from 'react';

type OutcomeProps = { icon: ReactNode; title: string; children: ReactNode };

/** What became of it, and the way on. The title takes the focus, so that the change is heard. */
export function Outcome({ icon, title, children }: OutcomeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <span className="flex justify-center text-accent-ink [&_svg]:size-16" aria-hidden="true">
        {icon}
      </span>
      <h1 ref={heading} tabIndex={-1} className="mt-6 text-4xl outline-none">
        {title}
      </h1>
      {children}
    </>
  );
}
