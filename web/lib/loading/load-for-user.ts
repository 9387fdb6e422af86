import { t } from '@lingui/core/macro';
import { NetworkError } from '../../../client/api-error.ts';
import { loadPersistently } from './load-persistently.ts';

/** Loads the code of something that the user does. Throws an Error for the user. */
export async function loadForUser<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await loadPersistently(load);
  } catch (cause) {
    throw describeMissingCode(cause);
  }
}

/**
 * Starts a worker. If its code cannot be loaded, it never answers: `onFailure` then gets the reason, a NetworkError if
 * the next attempt may succeed, otherwise an Error for the user.
 */
export function startWorker(url: string, onFailure: (reason: Error) => void): Worker {
  const worker = new Worker(url, { type: 'module' });
  worker.onerror = async ({ message: cause }) => {
    worker.terminate();
    const response = await fetch(url, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    onFailure(response?.status === 404 ? describeMissingCode(cause) : new NetworkError(undefined, { cause }));
  };
  return worker;
}

function describeMissingCode(cause: unknown): Error {
  return new Error(
    t`The connection may have been lost, or Sendwell was just updated. Reloading usually helps.`,
    { cause },
  );
}
