import { type ElementType, type ReactNode, useState } from 'react';

type RemoveScrollProps = {
  as: ElementType;
  children: ReactNode;
  allowPinchZoom?: boolean;
  shards?: unknown;
};

/**
 * Replaces `react-remove-scroll` inside Radix dialogs (aliased in vite.config.ts): the page behind does not scroll
 * while it is mounted. The rule is in global.css, so that no style tag is written at run time and the content
 * security policy can stay strict.
 */
export function RemoveScroll({ as: Element, allowPinchZoom, shards, ...props }: RemoveScrollProps) {
  // Reserve the scrollbar's width, so that the page behind does not shift.
  const [hasScrollbar] = useState(() => window.innerWidth > document.documentElement.clientWidth);
  return <Element data-scroll-lock={hasScrollbar ? 'keep-gutter' : ''} {...props} />;
}
