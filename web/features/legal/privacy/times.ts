import { plural } from '@lingui/core/macro';
import { DELIVERY_DAYS } from '../../../../contracts/accounts/webhooks.ts';
import { FATES_KEPT_DAYS } from '../../../../contracts/admin/lookup.ts';
import { ANALYTICS_DAYS } from '../../../../contracts/analytics.ts';
import { RETENTION as R } from '../../../../contracts/transfers/retention.ts';

const DAYS_PER_MONTH = 365 / 12;
export const TOTALS_MONTHS = Math.floor(ANALYTICS_DAYS.premium / DAYS_PER_MONTH);

const days = (amount: number) => plural(amount, { one: '# day', other: '# days' });
const hours = (amount: number) =>
  amount % 24 === 0 ? days(amount / 24) : plural(amount, { one: '# hour', other: '# hours' });

// Translators see these names in the messages.
export const deliveryLogTime = days(DELIVERY_DAYS);
export const outcomeTime = days(FATES_KEPT_DAYS);
export const accessLogTime = days(R.accessLogDays);
export const expiredAccountInvitationTime = days(R.expiredAccountInvitationDays);
export const expiredTransferTime = days(R.expiredTransferDays);
export const failedMailTextTime = days(R.failedMailTextDays);
export const knownPlaceTime = days(R.knownPlaceDays);
export const mailTime = days(R.mailDays);
export const paymentEventTime = days(R.paymentEventDays);
export const sessionTime = days(R.sessionDays);
export const sidebarCookieTime = days(R.sidebarCookieDays);
export const trashTime = days(R.trashDays);
export const unverifiedAccountTime = days(R.unverifiedAccountDays);
export const visitTime = days(R.visitDays);
export const downloadTicketTime = hours(R.downloadTicketHours);
export const idempotencyTime = hours(R.idempotencyHours);
export const pendingCookieTime = hours(R.pendingCookieHours);
export const rateCounterTime = hours(R.rateCounterHours);
export const unfinishedUploadTime = hours(R.unfinishedUploadHours);
export const unlockedTransferTime = hours(R.unlockedTransferHours);
export const visitorCookieTime = hours(R.visitorCookieHours);
export const codeMinutes = R.verificationCodeMinutes;
