import { Trans } from '@lingui/react/macro';
import { type ReactNode, useEffect, useRef } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/uploads/invitations.ts';

type StepSectionProps = {
  number: 1 | 2 | 3;
  title: string;
  /** Focuses the heading, so that screen readers announce the step. Steps with a field focus that instead. */
  isFocused?: boolean;
  children?: ReactNode;
};

/** One of three steps. */
export function Step({ number, title, isFocused = false, children }: StepSectionProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isFocused) heading.current?.focus({ preventScroll: true });
  }, [isFocused]);
  return (
    <>
      <p className="tabular text-sm text-ink-faint">
        <Trans>Step {number} of 3</Trans>
      </p>
      <h2 ref={heading} tabIndex={-1} className="mt-1 text-2xl outline-none">
        {title}
      </h2>
      {children}
    </>
  );
}

/** An upload that was just delivered. */
export type Delivery = {
  fileCount: number;
  /** Bytes. */
  totalBytes: number;
};

type Place =
  /** `email` prefills the field. */
  | { step: 'email'; email: string }
  | { step: 'code'; email: string }
  /** `email` is the verified address. */
  | { step: 'files'; email: string }
  | { step: 'delivered'; email: string; delivery: Delivery };

/** The visitor's current step. `isFirst`: no step came before it. */
export type Visit = Place & { isFirst: boolean };

export type GoTo = (place: Place) => void;

export type StepProps<Step extends Visit['step']> = {
  token: string;
  details: InvitationDetails;
  visit: Visit & { step: Step };
  goTo: GoTo;
  /** Called for every refusal, because the invitation may have been closed. */
  onRefused: (error: unknown) => void;
};
