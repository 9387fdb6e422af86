import { declareKillTests } from './faults.suite.ts';

declareKillTests({ uploads: 1, downloads: 4, deletions: 2, firstStarts: 1 });
