import { Toaster } from '../components/feedback/toaster.tsx';
import { TooltipLayer } from '../components/tooltips/tooltip-layer.tsx';

/** What each page needs only after it is shown. */
export function Overlays() {
  return (
    <>
      <Toaster />
      <TooltipLayer />
    </>
  );
}
