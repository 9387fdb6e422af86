/** True in `npm test` without a filter, which skips slow tests of which a shorter version exists. */
export const isShortRun = process.env.TEST_SET === 'short';

/** Options of a test that runs only in `npm run test:all` or when its file is run. */
export const onlyInAll = isShortRun ? { skip: 'only in npm run test:all' } : {};
