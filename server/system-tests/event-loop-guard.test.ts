import { declareGuard } from './event-loop-guard.suite.ts';

// This database has no statistics, so SQLite plans as for a larger one. The first user has enough transfers for
// lists that are read in slices.
declareGuard('no statement reads a whole table of a large database', {
  users: 800,
  transfers: 8_000,
  filesOfLargest: 2_500,
  isTimed: false,
});
