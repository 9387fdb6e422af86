import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { type UploadPage, type UploadState, UploadStore } from './upload-store.ts';
import { useKeepAwake } from './wake-lock.ts';

/** The page's upload store and its current state. `options` are read once. */
export function useUploadStore(
  options: ConstructorParameters<typeof UploadStore>[0],
): [store: UploadStore, state: UploadState] {
  const [store] = useState(() => new UploadStore(options));
  const state = useSyncExternalStore(store.subscribe, () => store.state);
  useEffect(() => store.open(), [store]);
  useKeepAwake(state.isActive);
  return [store, state];
}

/** Gives the store the page's callbacks of the latest render. */
export function useUploadPage(store: UploadStore, page: UploadPage): void {
  useLayoutEffect(() => store.connect(page));
}
