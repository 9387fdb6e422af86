export { blockContentOf, releaseHeldFile, unblockContent } from './content-rules.ts';
export { holdNewFiles } from './holding.ts';
export { enqueueScan } from './scanning.ts';
