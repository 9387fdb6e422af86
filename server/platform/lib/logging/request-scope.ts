import { AsyncLocalStorage } from 'node:async_hooks';

type Scope = { requestId: string };

const scopes = new AsyncLocalStorage<Scope | undefined>();

/** Runs a function as part of a request, so that its log lines carry the request id. */
export function runInRequest(scope: Scope, run: () => void): void {
  scopes.run(scope, run);
}

/** Runs shared work that a request triggered but that doesn't belong to it, without its id. */
export function runOutsideRequests<T>(run: () => T): T {
  return scopes.run(undefined, run);
}

export function findRequestId(): string | undefined {
  return scopes.getStore()?.requestId;
}
