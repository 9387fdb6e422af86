import { type ComponentType, createElement, useState } from 'react';
import { lazy } from '../../lib/loading/lazy.ts';
import type { GuardedAccess } from '../route-guard.tsx';

export type AppRoute = {
  path: string;
  /** Public pages get the whole window, the others the sidebar and top bar. */
  access: 'public' | GuardedAccess;
  Page: ComponentType & { preload?: () => Promise<unknown> };
};

export type PageModule<Name extends string> = () => Promise<{ [name in Name]: ComponentType }>;

export function lazyPage<Name extends string>(load: PageModule<Name>, name: Name) {
  return lazyComponent(async () => (await load())[name]);
}

/**
 * Like React's `lazy`, but does not suspend after `preload` has resolved. React keeps a fallback for at least 300 ms,
 * so code that is already there would otherwise make a page slower.
 */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;
  const preload = async () => {
    loading ??= load();
    try {
      loaded = await loading;
      return loaded;
    } catch (error) {
      // The next attempt may succeed.
      loading = undefined;
      throw error;
    }
  };
  const Lazy = lazy(async () => ({ default: await preload() })) as unknown as ComponentType<Props>;
  function LazyComponent(props: Props) {
    // Another type of component in the same place would lose its state.
    const [Component] = useState(() => loaded ?? Lazy);
    return createElement(Component, props);
  }
  return Object.assign(LazyComponent, { preload });
}
