export { findBackgroundUrl } from './background-urls.ts';
export { backgroundJobs, enqueueBackgroundRemoval } from './backgrounds.ts';
