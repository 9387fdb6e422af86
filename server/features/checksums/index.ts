export { enqueueCheck } from './checking.ts';
export { countDamagedFiles } from './damage.ts';
export { Pace } from './pace.ts';
export { BLOCK_BYTES, readSums } from './read-sums.ts';
export { measureScrubDelay } from './scrub.ts';
export { nextVerification, type Reading, recordReadings, recordSuspicion } from './verdicts.ts';
