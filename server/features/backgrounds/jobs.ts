import { removeBackgroundBlobJob } from './backgrounds.ts';

export const backgroundJobs = [removeBackgroundBlobJob];
