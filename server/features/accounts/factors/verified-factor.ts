import type { SecondFactor } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import type { Trx } from '../../../platform/db/open.ts';

export type VerifiedFactor = {
  method: SecondFactor;
  /** Of passkeys: whether the user proved to the device who they are, by fingerprint or PIN. */
  userVerified?: boolean;
  /**
   * Uses the proof up in the transaction that signs in. False if another call used it first. The transaction must hold
   * the user's row lock.
   */
  use(trx: Trx): Promise<boolean>;
};
