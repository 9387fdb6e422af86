import { useEffect } from 'react';
import { Toaster } from '../components/feedback/toaster.tsx';
import { TooltipLayer } from '../components/tooltips/tooltip-layer.tsx';
import { refuseStrayDrops } from '../uploading/files/stray-drops.ts';

/** What each page needs only after it is shown. */
export function Overlays() {
  useEffect(refuseStrayDrops, []);
  return (
    <>
      <Toaster />
      <TooltipLayer />
    </>
  );
}
