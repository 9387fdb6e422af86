import { PAGES } from '../../contracts/values/addresses/pages.ts';

/** Query parameter of the plan in Settings that opens the payment of an open invoice, also after a reload. */
export const PAY_PARAMETER = 'pay';

export const payNowPath = `${PAGES.settingsPlan}?${PAY_PARAMETER}=now`;
