export { blockContentOf, releaseHeldFile, unblockContent } from './content-rules.ts';
export { quarantineNewFiles } from './held-files.ts';
export { enqueueScan } from './scan-files.ts';
