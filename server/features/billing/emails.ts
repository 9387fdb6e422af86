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
            value: renewsAt === null ? 'None, the plan ends then' : formatDate(renewsAt),
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
        text: `You keep ${plan} until ${formatDate(graceEndsAt)}. We try again before then; with another card it works at once.`,
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
    preview: 'You are on the free plan now. What you have sent keeps what it was promised.',
    title: `Your ${plan} plan has ended`,
    blocks: [
      {
        kind: 'text',
        text: 'You are on the free plan now. Transfers you have sent keep what they were promised: their links, passwords and dates stay. New ones follow the free plan’s limits.',
      },
      { kind: 'text', text: `You can take ${plan} again at any time.` },
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
    subject: `Your free time with Sendwell ${plan} ends on ${day}`,
    preview: `From then on it is ${formatCents(amountCents)} a month.`,
    title: 'Your free time ends soon',
    blocks: [
      { kind: 'figure', value: formatCents(amountCents), caption: `Sendwell ${plan}, one month` },
      {
        kind: 'text',
        text: `On ${day} your card is charged for the first time. You need not do anything to keep ${plan}.`,
      },
      { kind: 'note', text: `If you do not want to go on, cancel before ${day} and nothing is charged.` },
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
    preview: 'What you have sent keeps what it was promised.',
    title: `Your ${plan} plan ends soon`,
    blocks: [
      {
        kind: 'text',
        text: `You have cancelled ${plan}: it ends on ${day}, and nothing more is charged. Transfers you have sent keep what they were promised; new ones follow the free plan’s limits.`,
      },
      { kind: 'note', text: `Until then you can take it back, and ${plan} simply goes on.` },
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
  const url = publicUrl + PAGES.settings;
  await enqueueMail(trx, {
    kind,
    recipient: user.email,
    subject,
    ...renderMail({
      preview,
      title,
      blocks: [...blocks, { kind: 'button', label: button, url }],
      reason: 'Mails about payments always come while there are payments.',
    }),
    userId: user.id,
    createdAt,
  });
}
