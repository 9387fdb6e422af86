import { useLayoutEffect } from 'react';
import { PictureBackdrop } from '../../components/media/picture-backdrop.tsx';
import type { Background } from './use-background.ts';

/** Covers the window without scrolling, and switches the page to the colors for pictures. */
export function PageBackground({ url, onError }: Background) {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset.overPicture = '';
    return () => {
      delete dataset.overPicture;
    };
  }, []);
  return (
    <PictureBackdrop
      large={`${url}?size=large`}
      small={`${url}?size=small`}
      onError={onError}
      data-testid="page-background"
      className="fixed inset-x-0 top-0 h-lvh"
    />
  );
}
