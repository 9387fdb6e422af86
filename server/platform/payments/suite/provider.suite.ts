import { describe } from 'node:test';
import { testAttempts } from './attempts.suite.ts';
import type { OpenBench } from './bench.fixtures.ts';
import { testChanges } from './changes.suite.ts';
import { testRenewals } from './renewals.suite.ts';

/** Registers the tests that every payment provider must pass. `openBench` opens a separate provider for each test. */
export function testPaymentProvider(name: string, openBench: OpenBench): void {
  describe(name, () => {
    testAttempts(openBench);
    testRenewals(openBench);
    testChanges(openBench);
  });
}
