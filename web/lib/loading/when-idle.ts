const LOOK_MS = 50;
/** Between a spinner and the page's own skeleton nothing says that it is loading. */
const CALM_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Resolves when the page shows its first data and the browser has nothing more urgent to do, so that what is loaded ahead
 * doesn't delay what people wait for.
 */
export async function whenIdle(): Promise<void> {
  if (document.readyState !== 'complete')
    await new Promise((resolve) => window.addEventListener('load', resolve, { once: true }));
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (let calmMs = 0; calmMs < CALM_MS && Date.now() < deadline; calmMs = isLoading() ? 0 : calmMs + LOOK_MS)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  await new Promise((resolve) => {
    // Safari has no requestIdleCallback.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(resolve, { timeout: 2_000 });
    else setTimeout(resolve, 200);
  });
}

/** Spinners and skeletons say so. */
function isLoading(): boolean {
  return document.querySelector('[aria-busy="true"]') !== null;
}
