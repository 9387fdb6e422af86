export { findBackgroundUrl } from './addresses.ts';
export { enqueueBackgroundRemoval } from './backgrounds.ts';
