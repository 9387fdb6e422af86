import { AsyncLocalStorage } from 'node:async_hooks';

type Scope = { requestId: string };

const scopes = new AsyncLocalStorage<Scope | undefined>();

/** Runs all that follows as part of a request: each line of the log then carries its id. */
export function runInRequest(scope: Scope, run: () => void): void {
  scopes.run(scope, run);
}

/** Runs what a request has only set off: work for everybody, which is not its own. */
export function runOutsideRequests<T>(run: () => T): T {
  return scopes.run(undefined, run);
}

/** The id of the request whose work this is. */
export function findRequestId(): string | undefined {
  return scopes.getStore()?.requestId;
}
