import { mailResetLinkJob } from './password-resets.ts';

export const accountRecoveryJobs = [mailResetLinkJob];
