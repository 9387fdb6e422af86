import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { addMonths } from '../calculations.ts';
import { advance, begin, confirm, type DemoRow, end, type Outcome, upgrade } from './lifecycle.ts';

const at = (text: string) => Date.parse(text.includes('T') ? `${text}Z` : `${text}T12:00:00Z`);
const PRO = { tier: 'pro', priceCents: 999, discountPercent: 0, freeUntil: null } as const;
const IDS = { id: 'demo_sub_1', customerId: 'demo_cus_1', clientSecret: 'demo_secret_1' };

function show({ row, charges }: Outcome): string {
  const day = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const bills = charges.map(
    ({ status, tier, amountCents, createdAt }) => `${day(createdAt)} ${status} ${tier} ${amountCents}`,
  );
  const end = row.endedAt === null ? '' : ` on ${new Date(row.endedAt).toISOString().slice(0, 16)}`;
  const period = `${day(row.periodStartsAt)}–${day(row.periodEndsAt)}`;
  return [`${row.status}${end} ${row.tier} ${period}`, ...bills].join(', ');
}

function subscribed(
  start: string,
  changes: Partial<DemoRow> = {},
  discount: [percent: number, freeMonths: number] = [0, 0],
): DemoRow {
  const [discountPercent, freeMonths] = discount;
  const freeUntil = freeMonths > 0 ? addMonths(at(start), freeMonths) : null;
  const { row } = begin(IDS, { ...PRO, discountPercent, freeUntil }, at(start));
  return { ...confirm(row, '4242', at(start)), ...changes };
}

const FAILING = { cardLast4: '0341' };
const DOWN = { tier: 'premium', priceCents: 2499, scheduledTier: 'pro', scheduledPriceCents: 999 } as const;

const LIFECYCLES: [what: string, row: DemoRow, now: string, then: string][] = [
  [
    'nothing happens within the period',
    subscribed('2027-01-31'),
    '2027-02-28T11:59:59',
    'active pro 2027-01-31–2027-02-28',
  ],
  [
    'renewed exactly at the end of the period, on the last day of February',
    subscribed('2027-01-31'),
    '2027-02-28',
    'active pro 2027-02-28–2027-03-31, 2027-02-28 paid pro 999',
  ],
  [
    'several missed months produce several invoices, each with its own date',
    subscribed('2027-01-31'),
    '2027-05-15',
    'active pro 2027-04-30–2027-05-31, 2027-02-28 paid pro 999, 2027-03-31 paid pro 999, 2027-04-30 paid pro 999',
  ],
  [
    'a percentage discount applies to each charge, rounded half a cent up',
    subscribed('2027-01-15', {}, [50, 0]),
    '2027-03-20',
    'active pro 2027-03-15–2027-04-15, 2027-02-15 paid pro 500, 2027-03-15 paid pro 500',
  ],
  [
    '100 percent off: renewed without an invoice, whatever the card',
    subscribed('2027-01-15', FAILING, [100, 0]),
    '2027-03-20',
    'active pro 2027-03-15–2027-04-15',
  ],
  [
    'nothing is charged within the free months',
    subscribed('2027-01-31', {}, [0, 3]),
    '2027-04-30T11:59:59',
    'trialing pro 2027-01-31–2027-04-30',
  ],
  [
    'the first charge comes after the free months, and periods are counted from there',
    subscribed('2027-01-31', {}, [10, 1]),
    '2027-04-01',
    'active pro 2027-03-28–2027-04-28, 2027-02-28 paid pro 899, 2027-03-28 paid pro 899',
  ],
  [
    'cancelled within the free months: never charged',
    subscribed('2027-01-31', { cancelAtPeriodEnd: 1 }, [0, 2]),
    '2027-12-01',
    'ended on 2027-03-31T12:00 pro 2027-01-31–2027-03-31',
  ],
  [
    'cancelled: ends with the paid period, however late the row is read',
    subscribed('2027-01-31', { cancelAtPeriodEnd: 1 }),
    '2029-01-01',
    'ended on 2027-02-28T12:00 pro 2027-01-31–2027-02-28',
  ],
  [
    'a lower plan and its price hold from the next period on',
    subscribed('2027-01-31', DOWN),
    '2027-04-02',
    'active pro 2027-03-31–2027-04-30, 2027-02-28 paid pro 999, 2027-03-31 paid pro 999',
  ],
  [
    'a card that fails leaves the renewal open',
    subscribed('2027-01-31', FAILING),
    '2027-03-07T11:59:59',
    'past_due pro 2027-02-28–2027-03-31, 2027-02-28 open pro 999',
  ],
  [
    'unpaid for seven days it ends',
    subscribed('2027-01-31', FAILING),
    '2027-09-01',
    'ended on 2027-03-07T12:00 pro 2027-02-28–2027-03-31, 2027-02-28 open pro 999',
  ],
  [
    'a card that fails after the free months',
    subscribed('2027-01-15', FAILING, [0, 1]),
    '2027-02-16',
    'past_due pro 2027-02-15–2027-03-15, 2027-02-15 open pro 999',
  ],
  [
    'an unpaid attempt ends after 23 hours',
    begin(IDS, PRO, at('2027-01-31')).row,
    '2027-02-20',
    'ended on 2027-02-01T11:00 pro 2027-01-31–2027-02-28',
  ],
  [
    'an attempt with free months and no card ends after 23 hours',
    begin(IDS, { ...PRO, freeUntil: at('2027-03-31') }, at('2027-01-31')).row,
    '2027-02-20',
    'ended on 2027-02-01T11:00 pro 2027-01-31–2027-03-31',
  ],
];

for (const [what, row, now, then] of LIFECYCLES) {
  test(`the demo's lifecycle: ${what}`, () => {
    const outcome = advance(row, at(now));
    assert.equal(show(outcome), then);
    assert.deepEqual(advance(outcome.row, at(now)), { row: outcome.row, charges: [] }, 'advancing again');
  });
}

test('advancing often or once leads to the same row and charges', () => {
  for (const row of LIFECYCLES.map(([, each]) => each)) {
    const end = row.createdAt + 200 * DAY_MS;
    const often: Outcome = { row, charges: [] };
    for (let now = row.createdAt; now <= end; now += 7 * HOUR_MS) {
      const step = advance(often.row, now);
      often.row = step.row;
      often.charges.push(...step.charges);
    }
    const once = advance(row, end);
    assert.deepEqual(often, once);
  }
});

test('an ended subscription stays ended', () => {
  const row = end(subscribed('2027-01-31'), at('2027-02-02'));
  assert.deepEqual(advance(row, at('2030-01-01')), { row, charges: [] });
});

test('a clock that was set back changes nothing', () => {
  const row = subscribed('2027-01-31');
  assert.deepEqual(advance(row, at('2020-01-01')), { row, charges: [] });
});

const PREMIUM = { tier: 'premium', priceCents: 2499 } as const;

const UPGRADES: [what: string, row: DemoRow, now: string, then: string][] = [
  [
    'in the first moment: the whole difference',
    subscribed('2027-01-31'),
    '2027-01-31',
    'active premium 2027-01-31–2027-02-28, 2027-01-31 paid premium 1500',
  ],
  [
    'half way: half the difference',
    subscribed('2027-01-31'),
    '2027-02-14',
    'active premium 2027-01-31–2027-02-28, 2027-02-14 paid premium 750',
  ],
  [
    'rounded to the cent',
    subscribed('2027-01-01'),
    '2027-01-12',
    'active premium 2027-01-01–2027-02-01, 2027-01-12 paid premium 968',
  ],
  [
    'to the full price from a discounted one',
    subscribed('2027-01-31', {}, [20, 0]),
    '2027-02-14',
    'active premium 2027-01-31–2027-02-28, 2027-02-14 paid premium 850',
  ],
  [
    'to the full price from none',
    subscribed('2027-01-31', {}, [100, 0]),
    '2027-02-14',
    'active premium 2027-01-31–2027-02-28, 2027-02-14 paid premium 1250',
  ],
  [
    'within free months: they end, and a month is charged',
    subscribed('2027-01-31', {}, [0, 12]),
    '2027-02-14',
    'active premium 2027-02-14–2027-03-14, 2027-02-14 paid premium 2499',
  ],
];

for (const [what, row, now, then] of UPGRADES) {
  test(`a demo upgrade ${what}`, () => {
    assert.equal(show(upgrade(row, PREMIUM, at(now))), then);
  });
}

test('a demo upgrade keeps the day of renewal; one within free months begins with its own', () => {
  const renewals = [subscribed('2027-01-31'), subscribed('2027-01-31', {}, [0, 12])].map((row) => {
    const { row: higher } = upgrade(row, PREMIUM, at('2027-02-14'));
    return show(advance(higher, higher.periodEndsAt));
  });
  assert.deepEqual(renewals, [
    'active premium 2027-02-28–2027-03-31, 2027-02-28 paid premium 2499',
    'active premium 2027-03-14–2027-04-14, 2027-03-14 paid premium 2499',
  ]);
});

test('a demo upgrade revokes a cancellation', () => {
  const cancelled = subscribed('2027-01-31', { cancelAtPeriodEnd: 1 });
  const { row } = upgrade(cancelled, PREMIUM, at('2027-02-14'));
  assert.equal(advance(row, at('2027-03-01')).row.status, 'active');
});

test('a demo upgrade with a card that fails, or with a payment open, is declined', () => {
  const failing = subscribed('2027-01-31', FAILING);
  const pastDue = advance(failing, at('2027-03-01')).row;
  assert.throws(() => upgrade(failing, PREMIUM, at('2027-02-14')), { code: 'payment_declined' });
  assert.throws(() => upgrade(pastDue, PREMIUM, at('2027-03-01')), { code: 'payment_declined' });
});
