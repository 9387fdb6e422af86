/** How many rows a list of the admin area has when the caller does not say; the rest is behind its link. */
export const DEFAULT_LIMIT = 50;
