declare global {
  /** Settles when the requests that the head of the document started have their responses. */
  var firstResponses: Promise<unknown> | undefined;
}

/**
 * Resolves when the page and its first data have loaded and the browser has nothing more urgent to do, so that what is
 * loaded ahead doesn't delay what is looked at.
 */
export async function whenIdle(): Promise<void> {
  if (document.readyState !== 'complete')
    await new Promise((resolve) => window.addEventListener('load', resolve, { once: true }));
  await globalThis.firstResponses;
  await new Promise((resolve) => {
    // Safari has no requestIdleCallback.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(resolve, { timeout: 2_000 });
    else setTimeout(resolve, 200);
  });
}
