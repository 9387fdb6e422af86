export { enqueueLastDownloadNotice } from './activity-notices.ts';
