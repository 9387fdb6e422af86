/** Whether `npm test` runs without a filter: it leaves out what takes long and has a shorter relative. */
export const isShortRun = process.env.TEST_SET === 'short';

/** Options of a test that only `npm run test:all` runs, or a run of its file. */
export const onlyInAll = isShortRun ? { skip: 'only in npm run test:all' } : {};
