import type { InvitationDetails } from '../../../contracts/transfers/invitations.ts';

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
