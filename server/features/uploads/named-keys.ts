/** Which of some blobs are named by a row, for features to the right. */
export { findNamedKeys } from './sweep-queries.ts';
