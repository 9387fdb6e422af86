import { firefox } from './firefox.ts';
import { describeJourneys } from './journeys.suite.ts';

describeJourneys(firefox);
