import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

export type Loaded<Data> = {
  data: Data | undefined;
  /** Of the last attempt; the data of an earlier one stays. */
  error: Error | null;
  /** Loads again, instead of an attempt that is still running. Resolves with undefined on failure. */
  reload: () => Promise<Data | undefined>;
};

type State<Data> = { key: string | undefined; data: Data | undefined; error: Error | null };

/**
 * What `load` resolves with, without a cache: for parts of pages that must do without the library of queries. Loads once
 * per key; without a key, it waits.
 */
export function useLoaded<Data>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Data>,
): Loaded<Data> {
  const [state, setState] = useState<State<Data>>({ key, data: undefined, error: null });
  const latestLoad = useRef(load);
  useLayoutEffect(() => {
    latestLoad.current = load;
  });
  const running = useRef<AbortController | undefined>(undefined);
  const reload = useCallback(async () => {
    running.current?.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    try {
      const data = await latestLoad.current(signal);
      if (signal.aborted) return undefined;
      setState({ key, data, error: null });
      return data;
    } catch (error) {
      if (!signal.aborted)
        setState((last) => ({ key, data: last.key === key ? last.data : undefined, error: error as Error }));
      return undefined;
    }
  }, [key]);
  useEffect(() => {
    if (key !== undefined) void reload();
    return () => running.current?.abort();
  }, [key, reload]);
  const { data, error } = state.key === key ? state : NOTHING;
  return { data, error, reload };
}

const NOTHING = { data: undefined, error: null };
