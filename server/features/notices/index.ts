export { enqueueLastDownloadNotice } from './activity-notices.ts';
export { sendReopenRequest } from './reopen-requests.ts';
