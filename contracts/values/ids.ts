/** 130 random bits in 26 characters; ids, share tokens and storage keys alike. Anything else is unknown. */
export const ID_PATTERN = /^[0-9a-z]{26}$/;
