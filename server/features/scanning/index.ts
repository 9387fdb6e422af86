export { blockContentOf, releaseHeldFile, unblockContent } from './content-rules.ts';
export { quarantineNewFiles, refreshScanState } from './held-files.ts';
export { enqueueScan } from './scan-files.ts';
