declare global {
  /** Started by web/app/loading/early-requests.ts, by address. */
  var earlyResponses: Map<string, Promise<Response>> | undefined;
}

/** Since the navigation. Later, a response might be out of date. */
const USABLE_MS = 30_000;

if (globalThis.earlyResponses) setTimeout(dropEarlyResponses, USABLE_MS);

/**
 * The response to a request that the head of the document started; undefined for none. Each is taken once, and none
 * after a call that may have changed something.
 */
export function takeEarlyResponse(method: string, address: string): Promise<Response> | undefined {
  if (method !== 'GET') dropEarlyResponses();
  const response = globalThis.earlyResponses?.get(address);
  globalThis.earlyResponses?.delete(address);
  return response;
}

function dropEarlyResponses(): void {
  // A body that nobody reads would keep its connection.
  for (const response of globalThis.earlyResponses?.values() ?? [])
    void response.then(({ body }) => body?.cancel()).catch(() => undefined);
  globalThis.earlyResponses = undefined;
}
