import type { ElementType, ReactNode } from 'react';

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
  return <Element data-scroll-lock="" {...props} />;
}
