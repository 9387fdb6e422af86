import { Suspense, useState, useSyncExternalStore } from 'react';
import { stepUpStore } from '../api/session/step-up.ts';
import { lazy } from '../lib/loading/lazy.ts';
import { usePlace } from '../lib/routing.tsx';

const ConfirmIdentity = lazy(() =>
  import('./confirm-identity.tsx').then((module) => ({ default: module.ConfirmIdentity })),
);

const SsoReturn = lazy(() => import('./sso-return.tsx').then((module) => ({ default: module.SsoReturn })));

/**
 * Asks who is signed in when a call needs it, and says how it ended if that led to a provider. Its code loads the first
 * time.
 */
export function StepUpDialog() {
  const isAsked = useSyncExternalStore(stepUpStore.subscribe, stepUpStore.isAsked);
  const [wasAsked, setWasAsked] = useState(false);
  const { search } = usePlace();
  if (isAsked && !wasAsked) setWasAsked(true);
  return (
    <Suspense fallback={null}>
      {wasAsked && <ConfirmIdentity isOpen={isAsked} />}
      {search.includes('sso=') && <SsoReturn />}
    </Suspense>
  );
}
