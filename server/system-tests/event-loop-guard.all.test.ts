import { declareGuard } from './event-loop-guard.suite.ts';

declareGuard('no statement costs more than its share on a large database', {
  ...(process.env.LARGE_DATABASE === 'full'
    ? { users: 30_000, transfers: 300_000, filesOfLargest: 100_000 }
    : { users: 4_000, transfers: 100_000, filesOfLargest: 20_000 }),
  isTimed: true,
});
