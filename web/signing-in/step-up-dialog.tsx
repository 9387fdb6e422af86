import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { stepUpStore } from '../api/step-up.ts';

const ConfirmIdentity = lazy(() =>
  import('./confirm-identity.tsx').then((module) => ({ default: module.ConfirmIdentity })),
);

/** Asks who is signed in when a call needs it. Its code loads the first time. */
export function StepUpDialog() {
  const isAsked = useSyncExternalStore(stepUpStore.subscribe, stepUpStore.isAsked);
  const [wasAsked, setWasAsked] = useState(false);
  if (isAsked && !wasAsked) setWasAsked(true);
  return (
    wasAsked && (
      <Suspense fallback={null}>
        <ConfirmIdentity isOpen={isAsked} />
      </Suspense>
    )
  );
}
