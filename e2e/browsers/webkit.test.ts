import { describeJourneys } from './journeys.suite.ts';
import { webKit } from './webkit.ts';

describeJourneys(webKit);
