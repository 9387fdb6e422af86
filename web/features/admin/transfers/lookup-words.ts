import { t } from '@lingui/core/macro';
import type { FateCause, Whereabouts } from '../../../../contracts/admin/lookup.ts';

export const CAUSE_WORDS: Record<FateCause, string> = {
  expired: t`Expired; its files stayed for 7 more days`,
  'expired-removed': t`Deleted, 7 days after it expired`,
  'deleted-by-owner': t`Deleted by its owner`,
  'restored-by-owner': t`Brought back by its owner`,
  'deleted-by-admin': t`Deleted by an administrator`,
  'download-limit': t`Deleted after its last allowed download, as its owner asked for`,
  'account-deleted': t`Deleted with its owner’s account`,
  'invitation-deleted': t`Discarded: its sender had not finished when the invitation was deleted`,
  idle: t`Discarded: nothing arrived for 24 hours`,
  aborted: t`Canceled by its sender`,
  refused: t`Refused: it could not be stored or completed, and the sender got an error`,
  'empty-draft': t`Discarded: its last unfinished upload ended`,
  'dropped-by-operator': t`Discarded by an operator’s command`,
  'taken-down': t`Taken down by an administrator`,
  reopened: t`Reopened by an administrator`,
  updated: t`Updated by its owner`,
  'data-removed': t`Its files and records were removed`,
};

/** Events that don't end a transfer, or that only follow its end. */
const NOT_AN_END: FateCause[] = [
  'data-removed',
  'expired',
  'taken-down',
  'reopened',
  'restored-by-owner',
  'updated',
];

/** The event that explains why a transfer or upload is gone. */
export function findEnd({
  history,
}: Pick<Whereabouts, 'history'>): Whereabouts['history'][number] | undefined {
  return history.find(({ cause }) => !NOT_AN_END.includes(cause)) ?? history[0];
}

const STATES: Record<Whereabouts['state'], { badge: string; sentence: string }> = {
  ready: { badge: t`Online`, sentence: t`Recipients can download it.` },
  scheduled: { badge: t`Scheduled`, sentence: t`It is complete, and opens at the time its sender chose.` },
  expired: {
    badge: t`Expired`,
    sentence: t`Recipients can’t open it. Its files stay for 7 days after it expired; extend it to reopen it.`,
  },
  'taken-down': {
    badge: t`Taken down`,
    sentence: t`An administrator closed it to everyone but its owner.`,
  },
  arriving: {
    badge: t`Arriving`,
    sentence: t`Its link works already, while its sender is uploading the files.`,
  },
  checking: {
    badge: t`Checking`,
    sentence: t`Its files wait for the virus scanner, or for your decision under Held files.`,
  },
  blocked: {
    badge: t`Blocked`,
    sentence: t`A file in it is infected or was blocked by an administrator; see Held files.`,
  },
  draft: { badge: t`Unfinished`, sentence: t`Its sender has not sent all files yet.` },
  removing: { badge: t`Being removed`, sentence: t`It is deleted, and its files are being removed.` },
  open: { badge: t`Uploading`, sentence: t`Its sender can continue this upload.` },
  complete: { badge: t`Complete`, sentence: t`The file arrived, and belongs to a transfer.` },
  gone: { badge: t`Gone`, sentence: t`It is no longer here.` },
  unknown: {
    badge: t`Not found`,
    sentence: t`No transfer or upload has this ID, token or link. It never existed here, or it ended more than 90 days ago. A file that was deleted with its transfer is found by that transfer only.`,
  },
};

export function describeState({ state }: Pick<Whereabouts, 'state'>): { badge: string; sentence: string } {
  return STATES[state];
}
