import * as react from 'react';
import { loadPersistently } from './load-persistently.ts';

/** React's `lazy`, which would give up after the first failure, with `loadPersistently`. */
export const lazy: typeof react.lazy = (load) => react.lazy(() => loadPersistently(load));
