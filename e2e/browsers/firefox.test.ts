import { launchFirefox } from './firefox.ts';
import { describeJourneys } from './journeys.suite.ts';

describeJourneys('Firefox', launchFirefox);
