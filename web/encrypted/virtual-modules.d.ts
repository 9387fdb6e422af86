/** Made by web/build/encrypted-page.ts. */

/** `saving/saver.worker.ts` as one classic script. */
declare module 'virtual:saver' {
  const code: string;
  export default code;
}

/** The catalogue of each language but English. */
declare module 'virtual:page-catalogues' {
  const catalogues: Record<string, { path: string; integrity: string } | undefined>;
  export default catalogues;
}
