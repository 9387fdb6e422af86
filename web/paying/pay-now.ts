import { PAGES } from '../../contracts/values/pages.ts';

/** In the address of Settings: what is owed is paid at once. It outlives loading the page anew. */
export const PAY_PARAMETER = 'pay';

export const payNowPath = `${PAGES.settings}?${PAY_PARAMETER}=now#plan`;
