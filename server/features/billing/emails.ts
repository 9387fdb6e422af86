import { type TierName, tierLabel } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { MailKind } from '../../platform/mail/kinds.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import type { MailBlock } from '../../platform/mail/template/content.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { type MailReader, wordingIn } from '../../platform/mail/wording.ts';

type PlanMail = {
  user: MailReader;
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
  const { t, formatCents, formatDate } = wordingIn(mail.user.language);
  const plan = tierLabel(tier);
  await enqueuePlanMail(trx, mail, {
    kind: 'payment-receipt',
    subject: t('Your receipt: Sendwell {plan}, {amount}', { plan, amount: formatCents(amountCents) }),
    preview: t('Sendwell {plan} until {end}.', { plan, end: formatDate(periodEndsAt) }),
    title: t('Thank you for your payment'),
    blocks: [
      { kind: 'figure', value: formatCents(amountCents), caption: t('Sendwell {plan}, one month', { plan }) },
      {
        kind: 'facts',
        facts: [
          { label: t('Paid on'), value: formatDate(createdAt) },
          { label: t('Period'), value: `${formatDate(periodStartsAt)} – ${formatDate(periodEndsAt)}` },
          {
            label: t('Next payment'),
            value: renewsAt === null ? t('None. The plan ends then.') : formatDate(renewsAt),
          },
        ],
      },
    ],
    button: t('See your plan'),
  });
}

export async function enqueuePaymentFailedMail(
  trx: Trx,
  mail: PlanMail & { amountCents: number; graceEndsAt: number },
): Promise<void> {
  const { tier, amountCents, graceEndsAt } = mail;
  const { t, formatCents, formatDate } = wordingIn(mail.user.language);
  const plan = tierLabel(tier);
  await enqueuePlanMail(trx, mail, {
    kind: 'payment-failed',
    subject: t('Your payment for Sendwell {plan} did not go through', { plan }),
    preview: t('Nothing changes before {end}.', { end: formatDate(graceEndsAt) }),
    title: t('Your payment did not go through'),
    blocks: [
      { kind: 'figure', value: formatCents(amountCents), caption: t('Sendwell {plan}, one month', { plan }) },
      {
        kind: 'text',
        text: t('Your bank declined the payment. Often the card has expired or was replaced.'),
      },
      {
        kind: 'note',
        text: t(
          'You keep {plan} until {end}. We will retry the payment before then. To pay now, use another card.',
          { plan, end: formatDate(graceEndsAt) },
        ),
      },
    ],
    button: t('Check your payment'),
  });
}

export async function enqueuePlanEndedMail(trx: Trx, mail: PlanMail): Promise<void> {
  const { t } = wordingIn(mail.user.language);
  const plan = tierLabel(mail.tier);
  await enqueuePlanMail(trx, mail, {
    kind: 'plan-ended',
    subject: t('Your Sendwell {plan} plan has ended', { plan }),
    preview: t('You are now on the Free plan. Transfers that you have sent stay as they are.'),
    title: t('Your {plan} plan has ended', { plan }),
    blocks: [
      {
        kind: 'text',
        text: t(
          'You are now on the Free plan. Transfers that you have sent keep their links, passwords and dates. New ones have the limits of the Free plan.',
        ),
      },
      { kind: 'text', text: t('You can subscribe to {plan} again at any time.', { plan }) },
    ],
    button: t('See your plan'),
  });
}

export async function enqueueRenewalReminder(
  trx: Trx,
  mail: PlanMail & { amountCents: number; chargedAt: number },
): Promise<void> {
  const { tier, amountCents, chargedAt } = mail;
  const { t, formatCents, formatDate } = wordingIn(mail.user.language);
  const plan = tierLabel(tier);
  const day = formatDate(chargedAt);
  await enqueuePlanMail(trx, mail, {
    kind: 'renewal-reminder',
    subject: t('Your free period of Sendwell {plan} ends on {day}', { plan, day }),
    preview: t('After that, it costs {amount} a month.', { amount: formatCents(amountCents) }),
    title: t('Your free period ends soon'),
    blocks: [
      { kind: 'figure', value: formatCents(amountCents), caption: t('Sendwell {plan}, one month', { plan }) },
      {
        kind: 'text',
        text: t(
          'On {day}, your card is charged for the first time. You don’t need to do anything to keep {plan}.',
          { day, plan },
        ),
      },
      {
        kind: 'note',
        text: t('If you don’t want to keep it, cancel before {day} and you won’t be charged.', { day }),
      },
    ],
    button: t('See your plan'),
  });
}

export async function enqueuePlanEndingReminder(
  trx: Trx,
  mail: PlanMail & { endsAt: number },
): Promise<void> {
  const { t, formatDate } = wordingIn(mail.user.language);
  const plan = tierLabel(mail.tier);
  const day = formatDate(mail.endsAt);
  await enqueuePlanMail(trx, mail, {
    kind: 'plan-ending-reminder',
    subject: t('Your Sendwell {plan} plan ends on {day}', { plan, day }),
    preview: t('Transfers that you have sent stay as they are.'),
    title: t('Your {plan} plan ends soon', { plan }),
    blocks: [
      {
        kind: 'text',
        text: t(
          'You cancelled {plan}. It ends on {day}, and you won’t be charged again. Transfers that you have sent keep their links, passwords and dates. New ones have the limits of the Free plan.',
          { plan, day },
        ),
      },
      { kind: 'note', text: t('If you change your mind, resume {plan} before then.', { plan }) },
    ],
    button: t('Keep your plan'),
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
  const wording = wordingIn(user.language);
  const { t } = wording;
  const url = publicUrl + PAGES.settingsPlan;
  await enqueueMail(trx, {
    kind,
    recipient: user.email,
    subject,
    ...renderMail(wording, {
      preview,
      title,
      blocks: [...blocks, { kind: 'button', label: button, url }],
      reason: t('Emails about payments cannot be turned off.'),
    }),
    userId: user.id,
    createdAt,
  });
}
