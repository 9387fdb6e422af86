/** Epoch milliseconds. */
export type Instant = number;
export type Flag = 0 | 1;
export type JsonText = string;
export type Tier = 'free' | 'pro' | 'premium';
