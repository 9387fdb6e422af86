/** Checks at least hourly, because timers of more than 24 days overflow and fire immediately. */
const LONGEST_MS = 60 * 60_000;

/** Callbacks by the instant they wait for (epoch milliseconds). */
const waiting = new Map<() => void, number>();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Calls `wake` once at an instant (epoch milliseconds). All callers share one timer. Also checks when the page becomes
 * visible, because timers stop while a device sleeps. Returns a function that cancels.
 */
export function wakeAt(instant: number, wake: () => void): () => void {
  if (waiting.size === 0) globalThis.document?.addEventListener('visibilitychange', wakeEverybody);
  waiting.set(wake, instant);
  setTimer();
  return () => {
    if (!waiting.delete(wake)) return;
    setTimer();
    stopListening();
  };
}

function setTimer(): void {
  clearTimeout(timer);
  if (waiting.size === 0) return;
  const pause = Math.max(0, Math.min(...waiting.values()) - Date.now());
  timer = setTimeout(wakeTheDue, Math.min(pause, LONGEST_MS));
}

function wakeTheDue(): void {
  const now = Date.now();
  wakeAll([...waiting].filter(([, instant]) => instant <= now).map(([wake]) => wake));
}

function wakeEverybody(): void {
  if (document.visibilityState === 'visible') wakeAll([...waiting.keys()]);
}

function wakeAll(due: (() => void)[]): void {
  for (const wake of due) waiting.delete(wake);
  for (const wake of due) wake();
  setTimer();
  stopListening();
}

function stopListening(): void {
  if (waiting.size === 0) globalThis.document?.removeEventListener('visibilitychange', wakeEverybody);
}
