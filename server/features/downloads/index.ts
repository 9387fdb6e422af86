export { downloadJobs } from './claims/used-up-transfers.ts';
