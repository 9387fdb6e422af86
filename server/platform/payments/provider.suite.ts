import { describe } from 'node:test';
import { testAbandoning } from './provider.abandon.suite.ts';
import { testBeginning } from './provider.begin.suite.ts';
import { testChanges } from './provider.changes.suite.ts';
import type { OpenBench } from './provider.fixtures.ts';
import { testTime } from './provider.time.suite.ts';

/** What every payment provider keeps. `openBench` makes a provider of its own for each test. */
export function testPaymentProvider(name: string, openBench: OpenBench): void {
  describe(name, () => {
    testBeginning(openBench);
    testAbandoning(openBench);
    testTime(openBench);
    testChanges(openBench);
  });
}
