import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import type { FastifyRequest } from 'fastify';
import type { PasskeyAssertion, PasskeyRequest } from '../../../../../contracts/accounts/sign-in/passkeys.ts';
import type { Context } from '../../../../context.ts';
import type { Trx } from '../../../../platform/db/open.ts';
import { transaction } from '../../../../platform/db/transaction.ts';
import { createLimitedAlertLink } from '../../events/account-alerts.ts';
import { recordAccountEvent } from '../../events/events.ts';
import { lockAccount } from '../../users/user-queries.ts';
import { enqueuePasskeyRefusedMail } from '../factor-mails.ts';
import type { VerifiedFactor } from '../verified-factor.ts';
import { CHALLENGE_MS, type ChallengeOwner, claimChallenge, startChallenge } from './challenges.ts';
import {
  findPasskey,
  listPasskeys,
  type PasskeyRow,
  raiseCounter,
  recordPasskeyUse,
} from './passkey-queries.ts';
import { relyingParty, wrongPasskey } from './relying-party.ts';

/**
 * Asks a browser for a passkey: for any of this server, or for one of the user's. The user must prove to the device who
 * they are (fingerprint, PIN) unless a password was right before.
 */
export async function askForPasskey(
  { db, clock, config }: Pick<Context, 'db' | 'clock' | 'config'>,
  owner: ChallengeOwner,
): Promise<PasskeyRequest> {
  const passkeys = owner.userId === null ? [] : await listPasskeys(db, owner.userId);
  return {
    challenge: await startChallenge({ db, clock }, owner),
    rpId: relyingParty(config).rpId,
    timeout: CHALLENGE_MS,
    userVerification: needsVerification(owner) ? 'required' : 'preferred',
    allowCredentials: passkeys.map(describeCredential),
  };
}

export function describeCredential({ credentialId: id, transports }: PasskeyRow) {
  return { id, type: 'public-key', transports: JSON.parse(transports) as string[] } as const;
}

function needsVerification({ stage }: ChallengeOwner): boolean {
  return stage !== 'passkey-factor';
}

export type VerifiedPasskey = VerifiedFactor & { method: 'passkey'; userId: string };

/**
 * Verifies the answer to `askForPasskey`. Every answer counts once, whatever comes of it. An authenticator's counter
 * that does not rise is refused, because its key may have been copied, and mailed to the owner. Throws AppError
 * `passkey_expired` and `wrong_factor`.
 */
export async function checkPasskey(
  context: Context,
  owner: ChallengeOwner,
  response: PasskeyAssertion,
  request: FastifyRequest,
): Promise<VerifiedPasskey> {
  const challenge = await claimChallenge(context, owner, response.response.clientDataJSON);
  const passkey = await findPasskey(context.db, response.id);
  if (!passkey || !isOf(passkey, owner, response)) throw wrongPasskey();
  request.accountId = passkey.userId;
  const { userVerified, newCounter, credentialBackedUp } = await verify(context, {
    passkey,
    challenge,
    response,
    requireUserVerification: needsVerification(owner),
  });
  const { id, userId } = passkey;
  const isBackedUp = credentialBackedUp ? 1 : 0;
  if (!(await raiseCounter(context.db, { id, counter: newCounter, isBackedUp }))) {
    await reportCounter(context, passkey, request);
    throw wrongPasskey();
  }
  return {
    method: 'passkey',
    userId,
    userVerified,
    use: (trx: Trx) => recordPasskeyUse(trx, { id, now: context.clock.now() }),
  };
}

/** Browsers name the user unless the request named the passkeys (WebAuthn, section 7.2, step 6). */
function isOf({ userId }: PasskeyRow, owner: ChallengeOwner, { response }: PasskeyAssertion): boolean {
  const named = response.userHandle && Buffer.from(response.userHandle, 'base64url').toString();
  if (owner.userId === null) return named === userId;
  return owner.userId === userId && (!named || named === userId);
}

type Answer = {
  passkey: PasskeyRow;
  challenge: string;
  response: PasskeyAssertion;
  requireUserVerification: boolean;
};

async function verify(
  { config }: Pick<Context, 'config'>,
  { passkey, challenge, response: { id, type, response }, requireUserVerification }: Answer,
) {
  const { rpId, origin } = relyingParty(config);
  const { userHandle: _checked, ...signed } = response;
  // The counter is compared in `raiseCounter`, once the signature is known to be right: strangers cause no mails.
  const credential = {
    id,
    publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
    counter: 0,
  };
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { id, rawId: id, type, response: signed, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential,
    requireUserVerification,
  }).catch((error: unknown) => {
    throw wrongPasskey(error);
  });
  if (!verified) throw wrongPasskey();
  return authenticationInfo;
}

async function reportCounter(context: Context, { userId, name }: PasskeyRow, request: FastifyRequest) {
  const isReported = await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const user = await lockAccount(trx, userId);
    const secureUrl = user && (await createLimitedAlertLink(deps, user, 'passkey'));
    if (!secureUrl) return false;
    const details = { method: 'passkey', name } as const;
    await recordAccountEvent(deps, { userId, kind: 'passkey-refused', request, details });
    await enqueuePasskeyRefusedMail(trx, user, { name, secureUrl, createdAt: context.clock.now() });
    return true;
  });
  if (isReported) context.security.record(request, 'passkey.counter_fell', { accountId: userId });
}
