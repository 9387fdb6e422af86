import { del, entries, get, set } from 'idb-keyval';
import type { InboxKey } from '../../encryption/requests.ts';
import { openStore } from '../lib/browser/database.ts';
import { announceKeys } from './key-ring.ts';

/** The key pair of an encrypted invitation. Nobody else has the private key. */
export type KeptInbox = InboxKey & {
  invitationId: string;
  /** The ID of the user who created the invitation. */
  owner: string;
  /** Epoch milliseconds. */
  savedAt: number;
};

const store = () => openStore('sendwell-inboxes', 'keys');

/** Of an invitation that is being created, in the place of its ID. */
const NEW = 'new';

/** Rejects if the browser has no storage. */
export async function keepInbox(inbox: KeptInbox): Promise<void> {
  await set(inbox.invitationId, inbox, store());
  announceKeys();
}

export async function findInbox(invitationId: string): Promise<KeptInbox | undefined> {
  return get<KeptInbox>(invitationId, store()).catch(() => undefined);
}

/** The inboxes of this user, newest first. */
export async function listInboxes(owner: string): Promise<KeptInbox[]> {
  const known = await entries<string, KeptInbox>(store()).catch(() => []);
  return known
    .filter(([id, inbox]) => id !== NEW && inbox.owner === owner)
    .map(([, inbox]) => inbox)
    .sort((one, other) => other.savedAt - one.savedAt);
}

/**
 * A new key pair, already stored, so that no invitation is created whose key could not be kept. Rejects if the browser
 * has no storage.
 */
export async function prepareInbox(owner: string) {
  const { createInboxKey } = await import('../../encryption/requests.ts');
  const inbox = { ...(await createInboxKey()), owner, savedAt: Date.now() };
  await set(NEW, { ...inbox, invitationId: NEW }, store());
  // Asks the browser not to clear the keys when the disk is full.
  void navigator.storage?.persist?.().catch(() => false);
  return {
    keepFor: async (invitationId: string) => {
      await keepInbox({ ...inbox, invitationId });
      await del(NEW, store()).catch(() => {});
    },
  };
}
