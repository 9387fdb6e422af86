import { type TierName, tierLabel } from '../../../contracts/plans/tiers.ts';
import { formatCents } from '../../../contracts/values/format.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import type { MailKind } from '../../platform/mail/kinds.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { formatDate } from '../../platform/mail/wording.ts';

type PlanMail = {
  user: Pick<UserRow, 'id' | 'email'>;
  tier: Exclude<TierName, 'free'>;
  publicUrl: string;
  createdAt: number;
};

export async function enqueueReceiptMail(
  trx: Trx,
  mail: PlanMail & {
    amountCents: number;
    periodStartsAt: number;
    periodEndsAt: number;
    renewsAt: number | null;
  },
): Promise<void> {
  const { tier, amountCents, periodStartsAt, periodEndsAt, renewsAt, createdAt } = mail;
  const plan = tierLabel(tier);
  await enqueuePlanMail(trx, mail, {
    kind: 'payment-receipt',
    subject: `Your receipt: Sendwell ${plan}, ${formatCents(amountCents)}`,
    preview: `Sendwell ${plan} until ${formatDate(periodEndsAt)}.`,
    title: 'Thank you for your payment',
    blocks: [
      { kind: 'figure', value: formatCents(amountCents), caption: `Sendwell ${plan}, one month` },
      {
        kind: 'facts',
        facts: [
          { label: 'Paid on', value: formatDate(createdAt) },
          { label: 'Period', value: `${formatDate(periodStartsAt)} – ${formatDate(periodEndsAt)}` },
          {
            label: 'Next payment',
            value: renewsAt === null ? 'None. The plan ends then.' : formatDate(renewsAt),
          },
        ],
      },
    ],
    button: 'See your plan',
  });
}

export async function enqueuePaymentFailedMail(
  trx: Trx,
  mail: PlanMail & { amountCents: number; graceEndsAt: number },
): Promise<void> {
  const { tier, amountCents, graceEndsAt } = mail;
  const plan = tierLabel(tier);
  await enqueuePlanMail(trx, mail, {
    kind: 'payment-failed',
    subject: `Your payment for Sendwell ${plan} did not go through`,
    preview: `Nothing changes before ${formatDate(graceEndsAt)}.`,
    title: 'Your payment did not go through',
    blocks: [
      { kind: 'figure', value: formatCents(amountCents), caption: `Sendwell ${plan}, one month` },
      {
        kind: 'text',
        text: 'Your bank declined the payment. Often the card has expired or was replaced.',
      },
      {
        kind: 'note',
        text: `You keep ${plan} until ${formatDate(graceEndsAt)}. We will retry the payment before then. To pay now, use another card.`,
      },
    ],
    button: 'Check your payment',
  });
}

export async function enqueuePlanEndedMail(trx: Trx, mail: PlanMail): Promise<void> {
  const plan = tierLabel(mail.tier);
  await enqueuePlanMail(trx, mail, {
    kind: 'plan-ended',
    subject: `Your Sendwell ${plan} plan has ended`,
    preview: 'You are now on the Free plan. Transfers that you have sent stay as they are.',
    title: `Your ${plan} plan has ended`,
    blocks: [
      {
        kind: 'text',
        text: 'You are now on the Free plan. Transfers that you have sent keep their links, passwords and dates. New ones have the limits of the Free plan.',
      },
      { kind: 'text', text: `You can subscribe to ${plan} again at any time.` },
    ],
    button: 'See your plan',
  });
}

export async function enqueueRenewalReminder(
  trx: Trx,
  mail: PlanMail & { amountCents: number; chargedAt: number },
): Promise<void> {
  const { tier, amountCents, chargedAt } = mail;
  const plan = tierLabel(tier);
  const day = formatDate(chargedAt);
  await enqueuePlanMail(trx, mail, {
    kind: 'renewal-reminder',
    subject: `Your free period of Sendwell ${plan} ends on ${day}`,
    preview: `After that, it costs ${formatCents(amountCents)} a month.`,
    title: 'Your free period ends soon',
    blocks: [
      { kind: 'figure', value: formatCents(amountCents), caption: `Sendwell ${plan}, one month` },
      {
        kind: 'text',
        text: `On ${day}, your card is charged for the first time. You don’t need to do anything to keep ${plan}.`,
      },
      { kind: 'note', text: `If you don’t want to keep it, cancel before ${day} and you won’t be charged.` },
    ],
    button: 'See your plan',
  });
}

export async function enqueuePlanEndingReminder(
  trx: Trx,
  mail: PlanMail & { endsAt: number },
): Promise<void> {
  const plan = tierLabel(mail.tier);
  const day = formatDate(mail.endsAt);
  await enqueuePlanMail(trx, mail, {
    kind: 'plan-ending-reminder',
    subject: `Your Sendwell ${plan} plan ends on ${day}`,
    preview: 'Transfers that you have sent stay as they are.',
    title: `Your ${plan} plan ends soon`,
    blocks: [
      {
        kind: 'text',
        text: `You cancelled ${plan}. It ends on ${day}, and you won’t be charged again. Transfers that you have sent keep their links, passwords and dates. New ones have the limits of the Free plan.`,
      },
      { kind: 'note', text: `If you change your mind, resume ${plan} before then.` },
    ],
    button: 'Keep your plan',
  });
}

type Composition = {
  kind: MailKind;
  subject: string;
  preview: string;
  title: string;
  blocks: MailBlock[];
  button: string;
};

async function enqueuePlanMail(
  trx: Trx,
  { user, publicUrl, createdAt }: PlanMail,
  { kind, subject, preview, title, blocks, button }: Composition,
): Promise<void> {
  const url = publicUrl + PAGES.settingsPlan;
  await enqueueMail(trx, {
    kind,
    recipient: user.email,
    subject,
    ...renderMail({
      preview,
      title,
      blocks: [...blocks, { kind: 'button', label: button, url }],
      reason: 'Emails about payments cannot be turned off.',
    }),
    userId: user.id,
    createdAt,
  });
}
