import { t } from '@lingui/core/macro';
import { WrongKeyError } from '../../../encryption/errors.ts';
import { deriveKeys, needsPassword, type TransferKeys } from '../../../encryption/keys.ts';
import { parseKey } from '../../../encryption/link.ts';
import { findKey, type KeptKey } from '../../key-ring/key-ring.ts';
import { loadForUser } from '../../lib/loading/load-for-user.ts';
import type { Sealing } from '../engine/sealing.ts';
import type { EncryptionRequest } from './encryption-control.ts';
import { createSealing, resumeSealing } from './transfer-sealing.ts';

type Opening = {
  /** The ID of the user. */
  owner: string;
  password: string | undefined;
  /** Set for visitors. */
  request?: EncryptionRequest | undefined;
  /** Absent for a new transfer. */
  transferId: string | undefined;
  isReady: boolean;
  unfinished: ReadonlySet<string> | undefined;
};

/** The keys of a new transfer, or of one whose key this browser has. Rejects with an Error for the user. */
export async function openSealing(opening: Opening): Promise<Sealing> {
  const { owner, password, request, transferId, ...known } = opening;
  // Needed when the upload ends. By then an update of the server may have removed it.
  if (request) await loadForUser(() => import('./sealed-request.ts'));
  if (transferId === undefined) return createSealing({ owner, password, request });
  const kept = await findKey(transferId);
  if (!kept) throw new Error(t`The key of this transfer is not in this browser.`);
  const keys = kept.keys ?? (await openKeys(kept, password));
  return resumeSealing({ kept: { ...kept, keys }, request, ...known });
}

/** Derives the keys again after signing out, or of an imported key. */
async function openKeys({ key, params }: KeptKey, password: string | undefined): Promise<TransferKeys> {
  const linkSecret = parseKey(key);
  if (!linkSecret) throw new Error(t`The key of this transfer is not in this browser.`);
  if (needsPassword(params) && !password)
    throw new Error(t`This transfer has a password. Please enter it again under Options.`);
  try {
    return await deriveKeys({ linkSecret, params, ...(password && { password }) });
  } catch (error) {
    if (error instanceof WrongKeyError)
      throw new Error(t`This is not the password that the transfer was encrypted with.`, { cause: error });
    throw error;
  }
}
