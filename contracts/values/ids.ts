/** Ids, share tokens and storage keys: 130 random bits in 26 characters. */
export const ID_PATTERN = /^[0-9a-z]{26}$/;
