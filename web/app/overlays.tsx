import { useEffect } from 'react';
import { Toaster } from '../components/feedback/toaster.tsx';
import { TooltipLayer } from '../components/tooltips/tooltip-layer.tsx';
import { usePlace } from '../lib/routing.tsx';
import { refuseStrayDrops } from '../uploading/files/stray-drops.ts';
import { prefetchLinkedPages, prefetchNextPages } from './loading/prefetch-pages.ts';

/** What each page needs only after it is shown. */
export function Overlays() {
  const { pathname } = usePlace();
  useEffect(refuseStrayDrops, []);
  useEffect(prefetchLinkedPages, []);
  useEffect(() => void prefetchNextPages(pathname), [pathname]);
  return (
    <>
      <Toaster />
      <TooltipLayer />
    </>
  );
}
