import { type ReactNode, useEffect, useRef } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/invitations.ts';

type StepHeadingProps = {
  number: 1 | 2 | 3;
  title: string;
  /** The page has just opened: the focus stays where a page load leaves it. */
  isFirst: boolean;
  children?: ReactNode;
};

/** One of the three steps. Its heading takes the focus when the step before it is done, so that this is heard. */
export function Step({ number, title, isFirst, children }: StepHeadingProps) {
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

/** What has just arrived with the sender. */
export type Delivery = {
  fileCount: number;
  /** Bytes. */
  totalBytes: number;
  /** Where the receipt goes. */
  email: string;
};

type Place =
  /** `email`: what stands in the field already. */
  | { step: 'email'; email: string; delivery?: Delivery }
  | { step: 'code'; email: string }
  /** `email`: the proved address. */
  | { step: 'files'; email: string };

/** Where the visitor is (specification section 4, "Visitor upload"); `isFirst`: since the page opened. */
export type Visit = Place & { isFirst: boolean };

export type GoTo = (place: Place) => void;

/** What every step is given. */
export type StepProps<Step extends Visit['step']> = {
  token: string;
  details: InvitationDetails;
  visit: Visit & { step: Step };
  goTo: GoTo;
  /** To be told of every refusal: it may be that the invitation was closed. */
  onRefused: (error: unknown) => void;
};
