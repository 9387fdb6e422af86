import { createHash } from 'node:crypto';
import {
  accountInvitationPath,
  resetPasswordPath,
  secureAccountPath,
  signInLinkPath,
  undoEmailChangePath,
  verifyEmailLink,
} from '../../contracts/values/addresses/links.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import type { LanguageCode } from '../../contracts/values/language/languages.ts';
import { enqueueAccountDeletedMail } from '../../server/features/account-deletion/deletion.ts';
import { enqueuePasswordResetMail } from '../../server/features/account-recovery/password-resets.ts';
import {
  enqueueCodeMail,
  enqueueEmailChangedMail,
  enqueueNewDeviceMail,
  enqueuePasswordChangedMail,
  enqueueSignInLinkMail,
} from '../../server/features/accounts/emails.ts';
import {
  enqueueFactorMail,
  enqueuePasskeyRefusedMail,
  enqueueRecoveryCodeMail,
} from '../../server/features/accounts/factors/factor-mails.ts';
import { enqueueIdentityMail } from '../../server/features/accounts/single-sign-on/identities/mails.ts';
import { newUser } from '../../server/features/accounts/users/users.ts';
import { enqueueKeyCreatedMail } from '../../server/features/api-keys/keys.ts';
import {
  enqueuePaymentFailedMail,
  enqueuePlanEndedMail,
  enqueuePlanEndingReminder,
  enqueueReceiptMail,
  enqueueRenewalReminder,
} from '../../server/features/billing/emails.ts';
import {
  enqueueVisitorCodeMail,
  enqueueVisitorReceipt,
  type ReceiptFile,
} from '../../server/features/invitations/mails/emails.ts';
import { enqueueBlockedNotice } from '../../server/features/notices/blocked-notices.ts';
import { enqueueDamageNotice } from '../../server/features/notices/damage-notices.ts';
import {
  enqueueDownloadNotice,
  enqueueExpiryNotice,
  enqueueRecipientReminder,
  enqueueReopenRequest,
  enqueueSenderReminder,
  enqueueViewNotice,
} from '../../server/features/notices/emails.ts';
import { enqueueAccountInvitationMail } from '../../server/features/registration/account-invitations.ts';
import { enqueueArrivalNotice } from '../../server/features/transfers/mails/arrival-mail.ts';
import { enqueueReadyMails, enqueueShareMails } from '../../server/features/transfers/mails/emails.ts';
import { enqueueDisabledMail, enqueueWebhookCreatedMail } from '../../server/features/webhooks/emails.ts';
import type { Db, Trx } from '../../server/platform/db/open.ts';
import type { MailRow, RecipientRow, TransferRow, UserRow } from '../../server/platform/db/schema.ts';
import { transaction } from '../../server/platform/db/transaction.ts';
import type { MailKind } from '../../server/platform/mail/kinds.ts';
import { CAST } from '../cast.ts';

export type SampleWords = {
  senderName?: string;
  title?: string | null;
  message?: string | null;
  fileNames?: string[];
  /** English by default. */
  language?: LanguageCode;
};

type Stage = {
  trx: Trx;
  sender: UserRow;
  transfer: TransferRow;
  recipient: RecipientRow;
  files: { name: string; sizeBytes: number }[];
};

export const SAMPLE_SECRET = 'the secret of the samples';
export const SAMPLE_URL = 'https://files.example.org';
const NOW = Date.UTC(2026, 4, 12, 9, 30);
const MIB = 1024 * 1024;
const SECURE_URL = SAMPLE_URL + secureAccountPath('4kq7m2zd8y0r3v6c1x9b5n7htw');

/** Composes the mail as the outbox would send it, with realistic content or the given words. */
export async function composeSampleMail(db: Db, kind: MailKind, words: SampleWords = {}): Promise<MailRow> {
  return transaction(db, async (trx) => {
    const stage = await setStage(trx, words);
    await SAMPLES[kind](stage);
    const mails = await trx.selectFrom('mails').selectAll().execute();
    await trx.deleteFrom('jobs').execute();
    await trx.deleteFrom('mails').execute();
    await trx.deleteFrom('users').execute();
    const [mail] = mails;
    if (!mail || mails.length > 1) throw new Error(`${kind} is ${mails.length} mails`);
    return mail;
  });
}

/** One sample for every kind. The type makes sure that none is missing. */
const SAMPLES: Record<MailKind, (stage: Stage) => Promise<void>> = {
  'verification-code': ({ trx, sender }) =>
    enqueueCodeMail(trx, sender, {
      code: '042137',
      url: SAMPLE_URL + verifyEmailLink(sender.email, '042137'),
      minutes: 15,
      createdAt: NOW,
    }),
  'account-invitation': async ({ trx, sender }) => {
    await enqueueAccountInvitationMail(trx, {
      language: sender.language,
      recipient: VISITOR,
      invitedBy: sender.username,
      url: SAMPLE_URL + accountInvitationPath('4kq7m2zd8y0r3v6c1x9b5n7htw'),
      days: 7,
      createdAt: NOW,
      expiresAt: NOW + 7 * DAY_MS,
    });
  },
  'visitor-code': ({ trx, sender, transfer }) =>
    enqueueVisitorCodeMail(trx, {
      visitId: '2b5e8h1k4n7q0t3w6z9c2f5h8m',
      recipient: VISITOR,
      language: sender.language,
      invitation: { title: transfer.title ?? 'Pictures' },
      inviter: sender,
      code: '042137',
      minutes: 15,
      createdAt: NOW,
    }),
  'visitor-receipt': ({ trx, sender, transfer, files }) =>
    enqueueVisitorReceipt(trx, {
      transfer,
      owner: sender,
      recipient: VISITOR,
      files: files.map(toReceiptFile),
      damagedCount: 1,
      createdAt: NOW,
    }),
  'new-device': ({ trx, sender }) =>
    enqueueNewDeviceMail(trx, sender, {
      device: 'Firefox on Windows',
      place: 'Lisbon, Portugal',
      address: '198.51.100.7',
      method: 'Password',
      secureUrl: SECURE_URL,
      createdAt: NOW,
    }),
  'sign-in-link': ({ trx, sender }) =>
    enqueueSignInLinkMail(trx, {
      email: sender.email,
      userId: sender.id,
      language: sender.language,
      url: SAMPLE_URL + signInLinkPath('4kq7m2zd8y0r3v6c1x9b5n7htw'),
      minutes: 15,
      createdAt: NOW,
    }),
  'password-reset': ({ trx, sender }) =>
    enqueuePasswordResetMail(trx, sender, {
      url: SAMPLE_URL + resetPasswordPath('4kq7m2zd8y0r3v6c1x9b5n7htw'),
      minutes: 60,
      createdAt: NOW,
    }),
  'password-changed': ({ trx, sender }) =>
    enqueuePasswordChangedMail(trx, sender, { secureUrl: SECURE_URL, createdAt: NOW }),
  'factor-changed': ({ trx, sender }) =>
    enqueueFactorMail(trx, sender, {
      change: 'passkey-added',
      name: 'iCloud Keychain',
      secureUrl: SECURE_URL,
      createdAt: NOW,
    }),
  'identity-changed': ({ trx, sender }) =>
    enqueueIdentityMail(trx, sender, {
      change: 'linked',
      providerName: 'Studio Nordlicht',
      secureUrl: SECURE_URL,
      createdAt: NOW,
    }),
  'passkey-refused': ({ trx, sender }) =>
    enqueuePasskeyRefusedMail(trx, sender, {
      name: 'iCloud Keychain',
      secureUrl: SECURE_URL,
      createdAt: NOW,
    }),
  'recovery-code-used': ({ trx, sender }) =>
    enqueueRecoveryCodeMail(trx, sender, { left: 9, secureUrl: SECURE_URL, createdAt: NOW }),
  'email-changed': ({ trx, sender }) =>
    enqueueEmailChangedMail(trx, {
      userId: sender.id,
      language: sender.language,
      oldEmail: sender.email,
      newEmail: 'paula.pro@studio-nordlicht.example.org',
      undoUrl: SAMPLE_URL + undoEmailChangePath('4kq7m2zd8y0r3v6c1x9b5n7htw'),
      undoDays: 7,
      createdAt: NOW,
    }),
  'api-key-created': ({ trx, sender }) =>
    enqueueKeyCreatedMail(trx, {
      owner: sender,
      key: { name: 'Nightly backup', prefix: 'swk_4kq7m2', createdAt: NOW },
      secureUrl: SECURE_URL,
    }),
  'webhook-created': ({ trx, sender }) =>
    enqueueWebhookCreatedMail(trx, {
      owner: sender,
      webhook: {
        url: 'https://hooks.studio-nordlicht.example.org/sendwell?key=secret',
        description: 'Archive',
        createdAt: NOW,
      },
      secureUrl: SECURE_URL,
    }),
  'account-deleted': ({ trx, sender }) => enqueueAccountDeletedMail(trx, { ...sender, createdAt: NOW }),
  'transfer-ready': ({ trx, recipient, ...stage }) => enqueueReadyMails(trx, shareMail(stage), [recipient]),
  'transfer-resend': ({ trx, recipient, ...stage }) => {
    const mail = shareMail({
      ...stage,
      transfer: { ...stage.transfer, passwordHash: 'set', scheduledAvailableAt: NOW + DAY_MS },
    });
    return enqueueShareMails(trx, { ...mail, mailedBefore: new Set([recipient.emailKey]) }, [recipient]);
  },
  'arrival-notice': ({ trx, ...stage }) => {
    const asker = { email: 'rex@example.net', language: stage.sender.language };
    return enqueueArrivalNotice(trx, shareMail(stage), asker);
  },
  'transfer-received': ({ trx, ...stage }) => {
    const transfer = { ...stage.transfer, receivedFrom: VISITOR };
    return enqueueReadyMails(trx, shareMail({ ...stage, transfer }), []);
  },
  'download-notice': ({ trx, ...stage }) =>
    enqueueDownloadNotice(trx, { ...notice(stage), downloads: 3, recipients: RECIPIENTS.slice(0, 2) }),
  'view-notice': ({ trx, ...stage }) =>
    enqueueViewNotice(trx, { ...notice(stage), views: 1, recipients: RECIPIENTS.slice(0, 1) }),
  'expiry-notice': ({ trx, ...stage }) =>
    enqueueExpiryNotice(trx, { ...notice(stage), downloads: 14, removedAt: NOW + 2 * DAY_MS }),
  'sender-reminder': ({ trx, ...stage }) =>
    enqueueSenderReminder(trx, { ...notice(stage), waiting: RECIPIENTS, downloads: 2 }),
  'reopen-request': ({ trx, ...stage }) =>
    enqueueReopenRequest(trx, {
      ...notice(stage),
      note: 'I was on holiday. Could you open it again until Friday?',
      maxDownloads: null,
      removedAt: NOW + 2 * DAY_MS,
    }),
  'recipient-reminder': ({ trx, recipient, ...stage }) =>
    enqueueRecipientReminder(trx, { ...notice(stage), recipient }),
  'blocked-notice': ({ trx, ...stage }) =>
    enqueueBlockedNotice(trx, {
      ...notice(stage),
      blocked: [{ ...stage.files[0]!, signature: 'Win.Test.EICAR_HDB-1' }],
      receivedFrom: null,
    }),
  'damage-notice': ({ trx, ...stage }) => {
    const files = stage.files.slice(0, 2).map((file) => ({ id: file.name, ...file }));
    const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const damage = { fileCount: files.length, totalBytes, files };
    return enqueueDamageNotice(trx, { ...notice(stage), damage, receivedFrom: null });
  },
  'payment-receipt': ({ trx, sender }) =>
    enqueueReceiptMail(trx, {
      ...planMail(sender),
      amountCents: 999,
      periodStartsAt: NOW,
      periodEndsAt: NOW + 31 * DAY_MS,
      renewsAt: NOW + 31 * DAY_MS,
    }),
  'payment-failed': ({ trx, sender }) =>
    enqueuePaymentFailedMail(trx, { ...planMail(sender), amountCents: 999, graceEndsAt: NOW + 7 * DAY_MS }),
  'plan-ended': ({ trx, sender }) => enqueuePlanEndedMail(trx, planMail(sender)),
  'renewal-reminder': ({ trx, sender }) =>
    enqueueRenewalReminder(trx, { ...planMail(sender), amountCents: 999, chargedAt: NOW + 3 * DAY_MS }),
  'plan-ending-reminder': ({ trx, sender }) =>
    enqueuePlanEndingReminder(trx, { ...planMail(sender), endsAt: NOW + 3 * DAY_MS }),
  'webhook-disabled': ({ trx, sender }) =>
    enqueueDisabledMail(trx, {
      user: sender,
      webhook: {
        url: 'https://hooks.studio-nordlicht.example.org/sendwell?key=secret',
        description: 'Archive',
        createdAt: NOW - 90 * DAY_MS,
      },
      reason: 'failing',
      publicUrl: SAMPLE_URL,
      createdAt: NOW,
    }),
};

const RECIPIENTS = Array.from({ length: 10 }, (_, index) => `guest-${index + 1}@example.net`).with(
  0,
  'rex@example.net',
);

const VISITOR = 'vera@atelier.example.net';

const FILES = [
  'Portraits/DSC_4021.tif',
  'Portraits/DSC_4022.tif',
  'Portraits/DSC_4023.tif',
  'Contract, signed.pdf',
  'Übersicht der Aufnahmen mit allen Bildrechten und Freigaben (letzte Fassung).xlsx',
];

const MESSAGE =
  'Hi Rex,\n\nhere is the final set. The portraits are in their own folder; ' +
  'please tell me by Friday which three you want for the cover.\n\nPaula';

async function setStage(trx: Trx, words: SampleWords): Promise<Stage> {
  const { name, username, email } = CAST.paula;
  const sender = newUser(
    { name: words.senderName ?? name, username, email, passwordHash: '', language: words.language ?? null },
    { emailVerified: 1, isAdmin: 0, tier: 'pro' },
    NOW,
  );
  await trx.insertInto('users').values(sender).execute();
  const transfer = await trx
    .insertInto('transfers')
    .values({
      id: '7w2m5k8q1z4x7c0v3b6n9a2s5d',
      token: '3f8h1k6p9r2t5w8y1z4c7v0b3n',
      userId: sender.id,
      status: 'ready',
      recipientEmails: '[]',
      title: words.title === undefined ? 'Studio pictures, final set' : words.title,
      message: words.message === undefined ? MESSAGE : words.message,
      createdAt: NOW - 5 * DAY_MS,
      readyAt: NOW,
      expiresAt: NOW + 2 * DAY_MS,
      fileCount: words.fileNames?.length ?? 12,
      totalBytes: 1_310 * MIB,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const recipient = await trx
    .insertInto('transferRecipients')
    .values({
      id: '5d8g1j4m7q0t3w6z9c2f5h8k1n',
      transferId: transfer.id,
      email: 'rex@example.net',
      emailKey: 'rex@example.net',
      token: '9k2n5q8t1w4z7c0f3h6j9m2p5s',
      createdAt: NOW,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const files = (words.fileNames ?? FILES).map((file, index) => ({
    name: file,
    sizeBytes: (index + 1) * 13.7 * MIB,
  }));
  return {
    trx,
    sender: await trx.selectFrom('users').selectAll().executeTakeFirstOrThrow(),
    transfer,
    recipient,
    files,
  };
}

function shareMail({ transfer, sender, files }: Pick<Stage, 'transfer' | 'sender' | 'files'>) {
  return {
    transfer,
    mailedBefore: new Set<string>(),
    sender,
    files,
    publicUrl: SAMPLE_URL,
    secret: SAMPLE_SECRET,
    now: NOW,
  };
}

/** The second file is damaged, the third has no checksum yet, and the others are complete. */
function toReceiptFile({ name: path, sizeBytes }: Stage['files'][number], index: number): ReceiptFile {
  const isDamaged = index === 1;
  const sha256 = createHash('sha256').update(path).digest('hex');
  return { path, sizeBytes, sha256: isDamaged || index === 2 ? null : sha256, isDamaged };
}

function notice({ files, sender: owner, ...stage }: Pick<Stage, 'transfer' | 'sender' | 'files'>) {
  const transfer = { ...stage.transfer, firstFileName: files[0]?.name ?? null };
  return { transfer, owner, publicUrl: SAMPLE_URL, secret: SAMPLE_SECRET, now: NOW };
}

function planMail(user: UserRow) {
  return { user, tier: 'pro' as const, publicUrl: SAMPLE_URL, createdAt: NOW };
}
