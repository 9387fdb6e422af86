import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Definition } from '../legal-article.tsx';
import {
  accessLogTime,
  codeMinutes,
  deliveryLogTime,
  expiredAccountInvitationTime,
  expiredTransferTime,
  failedMailTextTime,
  idempotencyTime,
  knownPlaceTime,
  mailTime,
  outcomeTime,
  paymentEventTime,
  rateCounterTime,
  sessionTime,
  TOTALS_MONTHS,
  trashTime,
  unfinishedUploadTime,
  unverifiedAccountTime,
  visitTime,
} from './times.ts';

/** The periods are the ones that the server applies. */
export const RETENTION_PERIODS: Definition[] = [
  [
    t`Files you delete`,
    t`Destroyed within minutes. The same holds for transfers that delete themselves after the last download.`,
  ],
  [
    t`Expired transfers`,
    t`Nobody can download them anymore. Files and data are removed ${expiredTransferTime} later, so that an administrator can extend a transfer until then.`,
  ],
  [t`Unfinished uploads`, t`Removed after ${unfinishedUploadTime} in which nothing happened.`],
  [
    t`Stray files`,
    t`Files that belong to no transfer, for example after a crash, are kept in a trash for ${trashTime}.`,
  ],
  [
    t`Download logs`,
    <Trans key="download-logs">
      <strong>Up to {accessLogTime}</strong>, views and network addresses included. Daily totals without
      addresses are kept for {TOTALS_MONTHS} months, but no longer than the account.
    </Trans>,
  ],
  [
    t`Emails`,
    t`${mailTime}. The text is deleted as soon as the email is sent or, if sending fails, after ${failedMailTextTime}.`,
  ],
  [
    t`Account`,
    t`Until you delete it; everything that belongs to it is deleted with it. Accounts whose address was never verified are removed after ${unverifiedAccountTime}.`,
  ],
  [t`Sessions`, t`Until you sign out, at most ${sessionTime}.`],
  [
    t`Known places`,
    t`${knownPlaceTime} after you last signed in from there. Counters of attempts are kept for at most ${rateCounterTime}.`,
  ],
  [
    t`Codes and links`,
    t`Verification codes are valid for ${codeMinutes} minutes, links in emails for as long as the email says.`,
  ],
  [
    t`Visitors`,
    t`Your visit: ${visitTime}. Your address with the files you sent: as long as the receiver keeps them.`,
  ],
  [
    t`API keys, webhooks`,
    t`Until you delete them. Logs of webhook deliveries: ${deliveryLogTime}. Stored responses to repeated API calls: ${idempotencyTime}.`,
  ],
  [
    t`Push notifications`,
    t`The address of your browser at its push service: until you turn them off or sign out there, or the service ends it.`,
  ],
  [t`Pickup codes`, t`Until you replace or void them, at most a day.`],
  [t`Outcome of a transfer`, t`When it ended and why, without names and content: ${outcomeTime}.`],
  [t`Abuse reports`, t`As long as the transfer they are about.`],
  [t`Blocked and released files`, t`Until an administrator reverses the decision.`],
  [t`Audit log`, t`As long as the installation exists, because it proves what administrators did.`],
  [
    t`Invoices`,
    t`Here as long as the account; the payment provider keeps them as long as tax law requires. Its messages to us: ${paymentEventTime}.`,
  ],
  [
    t`Invitations to register`,
    t`Until ${expiredAccountInvitationTime} after they have expired, or until the account is deleted.`,
  ],
  [t`Unsubscribed addresses`, t`Until you allow emails again.`],
  [t`Logs and backups`, t`As long as the operator keeps them; backups until they are overwritten.`],
];
