import { QueryClientProvider } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { onSessionEnd } from '../../api/session/session.ts';
import { runWhenLoaded } from '../../lib/loading/load-persistently.ts';

onSessionEnd(() => {
  runWhenLoaded(
    () => import('../../uploading/unfinished/reduce-records.ts'),
    ({ reduceAll }) => reduceAll(),
  );
});

/** The queries of a page, which include the session. The download page has neither. */
export function SessionFrame({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}

export function withSession(Page: ComponentType): ComponentType {
  return () => (
    <SessionFrame>
      <Page />
    </SessionFrame>
  );
}
