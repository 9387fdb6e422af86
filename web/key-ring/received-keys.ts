import type { Transfer } from '../../contracts/transfers/transfers.ts';
import { WrongKeyError } from '../../encryption/errors.ts';
import { deriveKeys } from '../../encryption/keys.ts';
import { formatKey } from '../../encryption/link.ts';
import { openLinkSecret } from '../../encryption/requests.ts';
import { findInbox } from './inbox-keys.ts';
import { findKey, type KeptKey, keepKey } from './key-ring.ts';

export type ReceivedTransfer = Pick<Transfer, 'id' | 'encryption' | 'receivedKey'>;

/** Why the key of a received transfer is not in the key ring. */
export type ReceivedKeyState = 'no-inbox' | 'wrong-key';

/** Each costs a request for its names. */
const NAMED_AT_ONCE = 20;

/**
 * Opens the keys of received transfers with the keys of their invitations and keeps them, so that the transfers are
 * like those that this browser sent. Returns those whose key could not be opened.
 */
export async function openReceivedKeys(
  owner: string,
  transfers: readonly ReceivedTransfer[],
): Promise<ReadonlyMap<string, ReceivedKeyState>> {
  const closed = new Map<string, ReceivedKeyState>();
  const opened: KeptKey[] = [];
  for (const transfer of transfers) {
    if (await findKey(transfer.id)) continue;
    const found = await openReceivedKey(owner, transfer);
    if (typeof found === 'string') closed.set(transfer.id, found);
    else opened.push(found);
  }
  for (const kept of opened) await keepKey(kept).catch(() => {});
  void nameTransfers(opened.slice(0, NAMED_AT_ONCE)).catch(() => {});
  return closed;
}

async function openReceivedKey(
  owner: string,
  { id, encryption: params, receivedKey }: ReceivedTransfer,
): Promise<KeptKey | ReceivedKeyState> {
  const { invitationId = '', sealedKey = '' } = receivedKey ?? {};
  const inbox = await findInbox(invitationId);
  if (!params || inbox?.owner !== owner) return 'no-inbox';
  try {
    const linkSecret = await openLinkSecret(inbox, { invitationId, transferId: id }, sealedKey);
    // Visitors may have sealed anything: a key that is not the transfer's is refused here.
    const keys = await deriveKeys({ linkSecret, params });
    const key = formatKey(linkSecret);
    return { transferId: id, owner, key, params, keys, isDraft: false, savedAt: Date.now() };
  } catch (error) {
    if (error instanceof WrongKeyError) return 'wrong-key';
    throw error;
  }
}

/** Reads title and first name, which lists show. One after another; those that fail stay without a name. */
async function nameTransfers(opened: readonly KeptKey[]): Promise<void> {
  if (opened.length === 0) return;
  const { openOwnManifest } = await import('./open-manifest.ts');
  const { signal } = new AbortController();
  for (const kept of opened) await openOwnManifest(kept, signal).catch(() => {});
}
