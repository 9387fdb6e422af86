import type { FateCause, Whereabouts } from '../../../../contracts/admin/lookup.ts';

export const CAUSE_WORDS: Record<FateCause, string> = {
  expired: 'Expired; its files stayed for 7 more days',
  'expired-removed': 'Deleted, 7 days after it expired',
  'deleted-by-owner': 'Deleted by its owner',
  'deleted-by-admin': 'Deleted by an administrator',
  'download-limit': 'Deleted after its last allowed download, as its owner asked for',
  'account-deleted': 'Deleted with its owner’s account',
  'invitation-deleted': 'Discarded: its sender had not finished when the invitation was deleted',
  idle: 'Discarded: nothing arrived for 24 hours',
  aborted: 'Canceled by its sender',
  refused: 'Refused: it could not be stored or completed, and the sender got an error',
  'empty-draft': 'Discarded: its last unfinished upload ended',
  'dropped-by-operator': 'Discarded by an operator’s command',
  'taken-down': 'Taken down by an administrator',
  reopened: 'Reopened by an administrator',
  'data-removed': 'Its files and records were removed',
};

/** Events that don't end a transfer, or only follow the one that did. */
const NOT_AN_END: FateCause[] = ['data-removed', 'expired', 'taken-down', 'reopened'];

/** The event that explains why a transfer or upload is gone. */
export function findEnd({
  history,
}: Pick<Whereabouts, 'history'>): Whereabouts['history'][number] | undefined {
  return history.find(({ cause }) => !NOT_AN_END.includes(cause)) ?? history[0];
}

const STATES: Record<Whereabouts['state'], { badge: string; sentence: string }> = {
  ready: { badge: 'Online', sentence: 'Recipients can download it.' },
  scheduled: { badge: 'Scheduled', sentence: 'It is complete, and opens at the time its sender chose.' },
  expired: {
    badge: 'Expired',
    sentence: 'Recipients can’t open it. Its files stay for 7 days after it expired; extend it to reopen it.',
  },
  'taken-down': {
    badge: 'Taken down',
    sentence: 'An administrator closed it to everyone but its owner.',
  },
  checking: {
    badge: 'Checking',
    sentence: 'Its files wait for the virus scanner, or for your decision under Held files.',
  },
  blocked: {
    badge: 'Blocked',
    sentence: 'A file in it is infected or was blocked by an administrator; see Held files.',
  },
  draft: { badge: 'Unfinished', sentence: 'Its sender has not sent all files yet.' },
  removing: { badge: 'Being removed', sentence: 'It is deleted, and its files are being removed.' },
  open: { badge: 'Uploading', sentence: 'Its sender can continue this upload.' },
  complete: { badge: 'Complete', sentence: 'The file arrived, and belongs to a transfer.' },
  gone: { badge: 'Gone', sentence: 'It is no longer here.' },
  unknown: {
    badge: 'Not found',
    sentence:
      'No transfer or upload has this ID, token or link. It never existed here, or it ended more than 90 days ago. A file that was deleted with its transfer is found by that transfer only.',
  },
};

export function describeState({ state }: Pick<Whereabouts, 'state'>): { badge: string; sentence: string } {
  return STATES[state];
}
