export { enqueueCheck } from './check-files.ts';
export { Pace } from './pace.ts';
export { listPictureBlobs } from './pictures.ts';
export { countDamagedFiles, VERIFIED_COLUMNS, type VerifiedFile } from './queries.ts';
export { BLOCK_BYTES, readSums } from './read-sums.ts';
export { measureScrubDelay } from './scrub.ts';
export { nextVerification, type Reading, recordReadings, recordSuspicion } from './verdicts.ts';
