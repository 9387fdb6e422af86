import { removeAdFileJob } from './ads.ts';

export const adJobs = [removeAdFileJob];
