import type { TestContext } from 'node:test';
import { ManualClock } from '../../../../testing/lib/manual-clock.ts';
import { StripeFake } from '../../../../testing/payments/stripe/fake.ts';
import type { PaymentBench } from '../suite/bench.fixtures.ts';
import { openStripePayments } from './provider.ts';

export async function openStripeBench(
  t: TestContext,
  { timeoutMs = 10_000 } = {},
): Promise<PaymentBench & { fake: StripeFake; clock: ManualClock }> {
  const clock = new ManualClock();
  const fake = await new StripeFake(clock).start();
  t.after(() => fake.stop());
  return {
    fake,
    payments: openStripePayments(fake.config, { clock, timeoutMs }),
    clock,
    userId: 'user-1',
    confirm: async ({ clientSecret }, cardNumber) => fake.confirm(clientSecret, cardNumber),
    pass: async (milliseconds) => clock.advance(milliseconds),
  };
}
