/** Between attempts. A lost connection is usually back by then; code that an update has replaced stays gone. */
const PAUSES_MS = [300, 1_000, 3_000];

/**
 * Loads code and tries again after a failure, so that a short break of the connection does not replace a page, and the
 * upload that runs in it, with an error. Waits while the browser is offline. Throws the last error.
 */
export async function loadPersistently<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await whenOnline();
    }
  }
  return load();
}

/** Loads code that the page can do without, and runs it; nothing happens if it cannot be loaded. */
export function runWhenLoaded<Module>(load: () => Promise<Module>, run: (module: Module) => unknown): void {
  void loadPersistently(load).then(run, () => undefined);
}

async function whenOnline(): Promise<void> {
  if (navigator.onLine) return;
  await new Promise((resolve) => window.addEventListener('online', resolve, { once: true }));
}
