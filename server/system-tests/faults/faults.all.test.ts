import { declareKillTests } from './faults.suite.ts';

declareKillTests({ uploads: 5, downloads: 20, deletions: 6, firstStarts: 5 });
