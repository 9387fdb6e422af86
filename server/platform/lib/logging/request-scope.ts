import { AsyncLocalStorage } from 'node:async_hooks';

type Scope = { requestId: string };

const scopes = new AsyncLocalStorage<Scope | undefined>();

/** Log lines of `run` carry the request id. */
export function runInRequest(scope: Scope, run: () => void): void {
  scopes.run(scope, run);
}

/** For shared work that a request triggered but that doesn't belong to it. */
export function runOutsideRequests<T>(run: () => T): T {
  return scopes.run(undefined, run);
}

export function findRequestId(): string | undefined {
  return scopes.getStore()?.requestId;
}
