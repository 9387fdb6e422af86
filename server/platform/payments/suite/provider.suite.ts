import { describe } from 'node:test';
import { testAbandoning } from './abandon.suite.ts';
import { testBeginning } from './begin.suite.ts';
import type { OpenBench } from './bench.fixtures.ts';
import { testChanges } from './changes.suite.ts';
import { testTime } from './time.suite.ts';

/** What every payment provider keeps. `openBench` makes a provider of its own for each test. */
export function testPaymentProvider(name: string, openBench: OpenBench): void {
  describe(name, () => {
    testBeginning(openBench);
    testAbandoning(openBench);
    testTime(openBench);
    testChanges(openBench);
  });
}
