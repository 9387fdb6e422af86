import { workerData } from 'node:worker_threads';
import type { RenderBounds } from './protocol.ts';

const { parentPid, maxRssBytes } = workerData as RenderBounds;

const INTERVAL_MS = 50;

/** In a thread of its own: it watches also while a file keeps the main one busy for ever. */
setInterval(() => {
  const isOrphan = process.ppid !== parentPid;
  if (isOrphan || process.memoryUsage.rss() > maxRssBytes) process.kill(process.pid, 'SIGKILL');
}, INTERVAL_MS);
