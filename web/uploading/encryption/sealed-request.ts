import { t } from '@lingui/core/macro';
import { putSealedKey } from '../../../contracts/transfers/uploads/uploads.ts';
import { WrongKeyError } from '../../../encryption/errors.ts';
import { parseKey } from '../../../encryption/link.ts';
import { sealLinkSecret } from '../../../encryption/requests.ts';
import { call } from '../../api/call.ts';
import type { EncryptionRequest } from './encryption-control.ts';

type KeyToSend = {
  transferId: string;
  /** The fragment of the transfer's link. */
  key: string;
  signal: AbortSignal;
};

/**
 * Sends the key of a visitor's transfer, sealed so that only the owner of the invitation can open it. Throws ApiError,
 * NetworkError, or an Error for the visitor.
 */
export async function sendSealedKey(
  { invitationId, invitationToken, inboxKey }: EncryptionRequest,
  { transferId, key, signal }: KeyToSend,
): Promise<void> {
  const sealedKey = await seal(inboxKey, { invitationId, transferId }, key);
  signal.throwIfAborted();
  await call(putSealedKey, { params: { transferId }, query: {}, body: { invitationToken, sealedKey } });
}

async function seal(inboxKey: string, place: { invitationId: string; transferId: string }, key: string) {
  try {
    return await sealLinkSecret(inboxKey, place, parseKey(key)!);
  } catch (error) {
    if (!(error instanceof WrongKeyError)) throw error;
    throw new Error(t`The key in the link of this invitation is damaged. Please ask for the link again.`, {
      cause: error,
    });
  }
}
