import { PAGES } from '../../contracts/values/pages.ts';

/** In the address of Settings: opens the payment of an open invoice. Survives a reload. */
export const PAY_PARAMETER = 'pay';

export const payNowPath = `${PAGES.settings}?${PAY_PARAMETER}=now#plan`;
