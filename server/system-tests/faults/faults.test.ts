import { declareKillTests } from './faults.suite.ts';

declareKillTests({ uploads: 1, downloads: 1, deletions: 1, firstStarts: 1 });
