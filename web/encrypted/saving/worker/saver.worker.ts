/// <reference lib="webworker" />
import { failureOf, SaveError } from '../failures.ts';
import { Pace } from '../reading/pace.ts';
import { canStage } from '../sinks/staged-sink.ts';
import type { FromSaverToPage, ToSaver } from './messages.ts';
import { save } from './saver.ts';

/** Runs one job off the main thread, where files of the origin can be written in place. */
const pace = new Pace();
const CANCELED = Symbol('canceled');
const post = (message: FromSaverToPage) => self.postMessage(message);

self.onmessage = async ({ data }: MessageEvent<ToSaver>) => {
  if (data.kind === 'probe') return post({ kind: 'probed', canStage: await canStage() });
  if (data.kind === 'pause') return pace.pause();
  if (data.kind === 'resume') return pace.resume();
  if (data.kind === 'cancel') return pace.cancel(CANCELED);
  if (data.kind === 'worker-ended') return pace.cancel(new SaveError({ kind: 'worker-ended' }));
  try {
    post({ kind: 'done', result: await save(data.job, pace, throttled(post)) });
  } catch (error) {
    post(error === CANCELED ? { kind: 'canceled' } : { kind: 'failed', failure: failureOf(error) });
  }
};

const SHORTEST_MS = 100;

/** Progress at most ten times a second, and always the end. */
function throttled(report: typeof post): typeof post {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (message) => {
    if (message.kind === 'progress' && message.savedBytes < message.totalBytes) {
      const now = performance.now();
      if (now - reportedAt < SHORTEST_MS) return;
      reportedAt = now;
    }
    report(message);
  };
}
