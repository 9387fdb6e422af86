import { type ElementType, type ReactNode, useState } from 'react';

type RemoveScrollProps = {
  as: ElementType;
  children: ReactNode;
  allowPinchZoom?: boolean;
  shards?: unknown;
};

/**
 * Takes the place of `react-remove-scroll` inside Radix dialogs (aliased in vite.config.ts): while it is
 * mounted the page behind does not scroll. The rule is in global.css, so that no style tag is written at
 * run time and the content security policy can stay strict.
 */
export function RemoveScroll({ as: Element, allowPinchZoom, shards, ...props }: RemoveScrollProps) {
  // Where a scrollbar stood its place stays free, so that the page behind does not move sideways.
  const [hasScrollbar] = useState(() => window.innerWidth > document.documentElement.clientWidth);
  return <Element data-scroll-lock={hasScrollbar ? 'keep-gutter' : ''} {...props} />;
}
