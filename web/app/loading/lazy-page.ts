import { type ComponentType, lazy } from 'react';
import type { GuardedAccess } from '../route-guard.tsx';

export type AppRoute = {
  path: string;
  /** Public pages get the whole window, the others the sidebar and top bar. */
  access: 'public' | GuardedAccess;
  Page: ComponentType & { preload?: () => Promise<unknown> };
};

export type PageModule<Name extends string> = () => Promise<{ [name in Name]: ComponentType }>;

export function lazyPage<Name extends string>(load: PageModule<Name>, name: Name) {
  return Object.assign(
    lazy(async () => ({ default: (await load())[name] })),
    { preload: load },
  );
}
