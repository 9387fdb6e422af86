import { sendPushJob } from './delivery.ts';
import { resealJob } from './vapid-keys.ts';

export const pushJobs = [sendPushJob, resealJob];
