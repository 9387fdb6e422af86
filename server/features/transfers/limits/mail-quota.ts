import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import {
  claimAllWithinLimit,
  claimWithinLimit,
  formatWait,
  toRetryAfter,
} from '../../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { mailboxKey } from '../../../platform/mail/mailbox-key.ts';
import { type Sender, selectSender } from '../lifecycle/draft-queries.ts';

const PEOPLE_PER_DAY = 200;
/** For self-registered accounts on the free plan in their first days. */
const STARTING = { days: 3, peoplePerDay: 20 };
/** Limits per network address and day, for all free senders and for new accounts. */
const PER_NETWORK = { free: 1_000, starting: 100 };

const FROM_ONE_SENDER = { limit: 20, windowMs: HOUR_MS };
/** At these counts of mails to one mailbox, free senders are refused. */
const FROM_ALL_SENDERS = [
  { name: 'hour', limit: 30, windowMs: HOUR_MS },
  { name: 'day', limit: 120, windowMs: DAY_MS },
];
/** Trusted senders are refused only at this multiple, so that strangers cannot block a mailbox for them. */
const TRUSTED_SHARE = 4;

type Charge = {
  senderId: string;
  emails: string[];
  address: string;
};

type Deps = Pick<Context, 'clock' | 'config'> & { db: Trx };

/**
 * Counts one mail for each address: against the sender's day; for free senders also against their network's day; and
 * against each mailbox, from this sender and from all senders. Call it in the transaction that schedules the mails; it
 * must roll back when this throws AppError `daily_mails_exceeded` or `mailbox_mails_exceeded`.
 */
export async function chargeMails(
  trx: Trx,
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  { senderId, emails, address }: Charge,
): Promise<void> {
  if (emails.length === 0) return;
  const deps = { db: trx, clock, config };
  const sender = await selectSender(trx, senderId);
  for (const allowance of listAllowances(sender, { address, now: clock.now() }))
    await chargeDay(deps, allowance, emails.length);
  await chargeMailboxes(deps, sender, emails);
}

/** Paying customers and administrators are trusted; anyone can create free accounts. */
export function isTrustedSender({ tier, isAdmin }: Pick<UserRow, 'tier' | 'isAdmin'>): boolean {
  return tier !== 'free' || isAdmin === 1;
}

type Allowance = { key: string; limit: number };

/** The order is fixed so that two transactions cannot deadlock. */
function listAllowances(
  sender: Sender,
  { address, now }: Pick<Charge, 'address'> & { now: number },
): Allowance[] {
  const isTrusted = isTrustedSender(sender);
  const { registeredAt } = sender;
  const isStarting = !isTrusted && registeredAt !== null && now < registeredAt + STARTING.days * DAY_MS;
  const limit = isStarting ? STARTING.peoplePerDay : PEOPLE_PER_DAY;
  return [
    { key: `mails:${sender.id}`, limit },
    // Keyed by mailbox, not account, so that deleting the account and registering again does not reset the quota.
    { key: `mails:of:${mailboxKey(sender.email)}`, limit },
    ...(isTrusted ? [] : [{ key: `mails:from:${address}`, limit: PER_NETWORK.free }]),
    ...(isStarting ? [{ key: `mails:starting:${address}`, limit: PER_NETWORK.starting }] : []),
  ];
}

async function chargeDay(deps: Deps, { key, limit }: Allowance, people: number): Promise<void> {
  const refusal = await claimWithinLimit(deps, { key, limit, windowMs: DAY_MS, cost: people });
  if (!refusal) return;
  const { remaining, waitMs } = refusal;
  throw new AppError('daily_mails_exceeded', {
    details: { remaining, wait: formatWait(waitMs) },
    retryAfterSeconds: toRetryAfter(waitMs),
  });
}

async function chargeMailboxes(deps: Deps, sender: Sender, emails: string[]): Promise<void> {
  const share = isTrustedSender(sender) ? TRUSTED_SHARE : 1;
  const limits = [
    { prefix: `mailbox:${sender.id}:`, ...FROM_ONE_SENDER },
    ...FROM_ALL_SENDERS.map(({ name, limit, windowMs }) => ({
      prefix: `mailbox:${name}:`,
      limit: limit * share,
      windowMs,
    })),
  ];
  for (const { prefix, limit, windowMs } of limits) {
    const keyOf = (email: string) => prefix + mailboxKey(email);
    const costs = new Map<string, number>();
    for (const email of emails) costs.set(keyOf(email), (costs.get(keyOf(email)) ?? 0) + 1);
    const refusal = await claimAllWithinLimit(deps, { costs, limit, windowMs });
    if (!refusal) continue;
    const email = emails.find((each) => keyOf(each) === refusal.key);
    throw new AppError('mailbox_mails_exceeded', {
      details: { email, wait: formatWait(refusal.waitMs) },
      retryAfterSeconds: toRetryAfter(refusal.waitMs),
    });
  }
}
