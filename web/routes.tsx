import { type ComponentType, lazy } from 'react';
import type { RouteAccess } from './route-guard.tsx';

export type AppRoute = {
  path: string;
  access: RouteAccess;
  /** `dashboard` puts the page into the sidebar and top bar, `bare` leaves the whole window to it. */
  frame: 'bare' | 'dashboard';
  Page: ComponentType;
};

const UnknownPage = lazy(() =>
  import('./unknown-page.tsx').then((module) => ({ default: module.UnknownPage })),
);

/** The specification's route table (section 2). Every page is its own download. */
export const ROUTES: AppRoute[] = [{ path: '*', access: 'public', frame: 'bare', Page: UnknownPage }];
