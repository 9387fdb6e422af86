/** Compiled by Lingui's Vite plugin. */
declare module '*.po' {
  import type { Messages } from '@lingui/core';
  export const messages: Messages;
}

/** Catalogues of the other languages. Those of the admin area and of the static pages are added with their pages. */
declare module 'virtual:catalogues' {
  export const catalogues: Record<`${string}.po`, () => Promise<import('@lingui/core').Messages>>;
}
