import { useEffect, useState } from 'react';
import { loadPersistently } from './load-persistently.ts';
import { whenIdle } from './when-idle.ts';

type Options = {
  /** Loads it when the browser is idle, so that it is there when it is needed. */
  isLikely?: boolean;
};

type LateModule<Module> = ((isNeeded: boolean) => Module | undefined) & { preload: () => Promise<void> };

/**
 * A hook for code that a page may need later: loads it when it is needed and returns undefined until it is there. Once
 * loaded, it is there with the first render. `preload` loads it for a hook that is not mounted yet.
 */
export function lateModule<Module>(
  load: () => Promise<Module>,
  { isLikely = false }: Options = {},
): LateModule<Module> {
  let loaded: Module | undefined;
  const ensure = async () => {
    loaded ??= await load();
  };
  function useLateModule(isNeeded: boolean) {
    const [, setState] = useState<'loaded'>();
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (loaded) return;
      let isGone = false;
      const report = (run: () => void) => () => void (isGone || run());
      const finish = report(() => setState('loaded'));
      if (isNeeded) loadPersistently(ensure).then(finish, (cause) => report(() => setError(cause))());
      // If this fails, it is loaded again when it is needed.
      else if (isLikely) void whenIdle().then(() => (isGone ? undefined : ensure().then(finish, () => {})));
      return () => {
        isGone = true;
      };
    }, [isNeeded]);
    if (error !== undefined) throw error;
    return loaded;
  }
  return Object.assign(useLateModule, { preload: ensure });
}
