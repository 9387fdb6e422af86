/** Resolves when the page has loaded and the browser has nothing more urgent to do. */
export async function whenIdle(): Promise<void> {
  if (document.readyState !== 'complete')
    await new Promise((resolve) => window.addEventListener('load', resolve, { once: true }));
  await new Promise((resolve) => {
    // Safari has no requestIdleCallback.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(resolve, { timeout: 2_000 });
    else setTimeout(resolve, 200);
  });
}
