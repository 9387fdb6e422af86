/** True in `npm test` without a filter, which skips slow tests of which a shorter version exists. */
export const isShortRun = process.env.TEST_SET === 'short';

/** Options of a test that runs only in `npm run test:all` or when its file is run. */
export const onlyInAll = isShortRun ? { skip: 'only in npm run test:all' } : {};

/** Options of a slow test that `npm test` runs on SQLite only, and `npm run test:all` on PostgreSQL, too. */
export const onceUnlessAll =
  isShortRun && process.env.TEST_DATABASE === 'postgres'
    ? { skip: 'on PostgreSQL only in npm run test:all' }
    : {};
