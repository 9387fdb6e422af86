import { removeUsedUpTransferJob } from './claims.ts';

export const downloadJobs = [removeUsedUpTransferJob];
