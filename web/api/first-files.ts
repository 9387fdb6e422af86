/** Files that arrive with a transfer, so that its page can be used soon; `useAllFiles` loads the others. */
export const FIRST_FILES = 200;
