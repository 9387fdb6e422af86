import { keepTrends } from './trends.ts';

export const adminJobs = [keepTrends];
