import { type RegistrationResponseJSON, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers';
import type { FastifyRequest } from 'fastify';
import {
  PASSKEYS_MAX,
  type Passkey,
  type PasskeyAttestation,
  type PasskeyCreation,
} from '../../../../../contracts/accounts/sign-in/passkeys.ts';
import type { Context } from '../../../../context.ts';
import type { UserRow } from '../../../../platform/db/schema.ts';
import { transaction } from '../../../../platform/db/transaction.ts';
import type { Identity } from '../../../../platform/http/routing/identity.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { randomId } from '../../../../platform/lib/tokens.ts';
import { createAlertLink } from '../../events/account-alerts.ts';
import { recordAccountEvent } from '../../events/events.ts';
import { strengthenSession } from '../../sign-in/step-up.ts';
import { lockAccount } from '../../users/user-queries.ts';
import { enqueueFactorMail } from '../factor-mails.ts';
import { settleFactors } from '../factors.ts';
import { issueRecoveryCodesIfNone } from '../recovery-codes.ts';
import { describeCredential } from './assertions.ts';
import { CHALLENGE_MS, type ChallengeOwner, claimChallenge, startChallenge } from './challenges.ts';
import { namePasskey } from './names.ts';
import {
  findPasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  presentPasskey,
} from './passkey-queries.ts';
import { relyingParty, wrongPasskey } from './relying-party.ts';

/** EdDSA, ES256 and RS256 (COSE): every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257];
const NAME = 'Sendwell';

type Browser = Pick<ChallengeOwner, 'browser'>;

/** Throws AppError `too_many_passkeys`. */
export async function beginPasskey(
  { db, clock, config }: Pick<Context, 'db' | 'clock' | 'config'>,
  { id: userId, username, name }: Pick<UserRow, 'id' | 'username' | 'name'>,
  { browser }: Browser,
): Promise<PasskeyCreation> {
  const passkeys = await listPasskeys(db, userId);
  if (passkeys.length >= PASSKEYS_MAX) throw tooMany();
  return {
    challenge: await startChallenge({ db, clock }, { stage: 'passkey-add', userId, browser }),
    rp: { id: relyingParty(config).rpId, name: NAME },
    user: { id: Buffer.from(userId).toString('base64url'), name: username, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    excludeCredentials: passkeys.map(describeCredential),
  };
}

function tooMany(): AppError {
  return new AppError('too_many_passkeys', { details: { count: PASSKEYS_MAX } });
}

/**
 * Adds the passkey with which a browser answered `beginPasskey`. Returns recovery codes if this is the account's first
 * factor. Throws AppError `passkey_expired`, `wrong_factor`, `passkey_exists` and `too_many_passkeys`.
 */
export async function addPasskey(
  context: Context,
  { user, sessionId }: Pick<Identity, 'user' | 'sessionId'>,
  { response, browser, request }: Browser & { response: PasskeyAttestation; request: FastifyRequest },
): Promise<{ passkey: Passkey; recoveryCodes?: string[] }> {
  const { id: userId } = user;
  const owner = { stage: 'passkey-add', userId, browser } as const;
  const challenge = await claimChallenge(context, owner, response.response.clientDataJSON);
  const { credential, aaguid, credentialBackedUp, credentialDeviceType } = await verify(context, {
    response,
    challenge,
  });
  const taken = await listPasskeys(context.db, userId);
  const userAgent = request.headers['user-agent'];
  const name = namePasskey(
    { aaguid, userAgent, language: user.language },
    taken.map((each) => each.name),
  );
  const row: PasskeyRow = {
    id: randomId(),
    userId,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: JSON.stringify(response.response.transports ?? []),
    isBackedUp: credentialBackedUp ? 1 : 0,
    deviceType: credentialDeviceType,
    aaguid,
    name,
    createdAt: context.clock.now(),
    lastUsedAt: null,
  };
  return transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const locked = await lockAccount(trx, userId);
    if (!locked) throw new AppError('not_signed_in');
    if (!(await insertPasskey(trx, row)))
      throw (await findPasskey(trx, row.credentialId)) ? new AppError('passkey_exists') : tooMany();
    await settleFactors(trx, userId);
    const details = { method: 'passkey', name } as const;
    await recordAccountEvent(deps, { userId, kind: 'second-factor-added', request, details });
    if (sessionId) await strengthenSession(deps, sessionId, 'passkey');
    const recoveryCodes = await issueRecoveryCodesIfNone(deps, userId);
    const secureUrl = await createAlertLink(deps, locked);
    await enqueueFactorMail(trx, locked, {
      change: 'passkey-added',
      name,
      secureUrl,
      createdAt: row.createdAt,
    });
    return { passkey: presentPasskey(row), ...(recoveryCodes && { recoveryCodes }) };
  });
}

async function verify(
  { config }: Pick<Context, 'config'>,
  { response, challenge }: { response: PasskeyAttestation; challenge: string },
) {
  const { rpId, origin } = relyingParty(config);
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: withoutAttestation(response),
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (registrationInfo) return registrationInfo;
  } catch (error) {
    throw wrongPasskey(error);
  }
  throw wrongPasskey();
}

/**
 * Some authenticators send a statement that nobody asked for. Verifying it would parse a stranger's certificates and
 * fetch their revocation lists.
 */
function withoutAttestation({ id, type, response }: PasskeyAttestation): RegistrationResponseJSON {
  const { clientDataJSON, attestationObject } = response;
  const sent = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const bare = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', sent.get('authData')],
  ]);
  return {
    id,
    rawId: id,
    type,
    response: {
      clientDataJSON,
      attestationObject: Buffer.from(isoCBOR.encode(bare)).toString('base64url'),
    },
    clientExtensionResults: {},
  };
}
