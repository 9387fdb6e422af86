import { type ReactNode, useEffect, useRef } from 'react';

type StepProps = {
  number: 1 | 2 | 3;
  title: string;
  /** The page has just opened: the focus stays where a page load leaves it. */
  isFirst: boolean;
  children?: ReactNode;
};

/** One of the three steps. Its heading takes the focus when the step before it is done, so that this is heard. */
export function Step({ number, title, isFirst, children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
  }, [isFirst]);
  return (
    <>
      <p className="tabular text-sm text-ink-faint">Step {number} of 3</p>
      <h2 ref={heading} tabIndex={-1} className="mt-1 text-2xl outline-none">
        {title}
      </h2>
      {children}
    </>
  );
}
