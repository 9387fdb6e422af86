import { Trans } from '@lingui/react/macro';
import { type ReactNode, useEffect, useRef } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/invitations.ts';

type StepSectionProps = {
  number: 1 | 2 | 3;
  title: string;
  /** The page has just opened, so the focus doesn't move. */
  isFirst: boolean;
  children?: ReactNode;
};

/** One of three steps. Its heading is focused when the previous step is done, so that screen readers announce it. */
export function Step({ number, title, isFirst, children }: StepSectionProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
  }, [isFirst]);
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
  /** Where the receipt goes. */
  email: string;
};

type Place =
  /** `email` prefills the field. */
  | { step: 'email'; email: string; delivery?: Delivery }
  | { step: 'code'; email: string }
  /** `email` is the verified address. */
  | { step: 'files'; email: string };

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
