import { describeJourneys } from './journeys.suite.ts';
import { launchWebKit } from './webkit.ts';

describeJourneys('WebKitGTK', launchWebKit);
