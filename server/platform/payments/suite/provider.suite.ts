import { describe } from 'node:test';
import { testAttempts } from './attempts.suite.ts';
import type { OpenBench } from './bench.fixtures.ts';
import { testChanges } from './changes.suite.ts';
import { testRenewals } from './renewals.suite.ts';

export function testPaymentProvider(name: string, openBench: OpenBench): void {
  describe(name, () => {
    testAttempts(openBench);
    testRenewals(openBench);
    testChanges(openBench);
  });
}
