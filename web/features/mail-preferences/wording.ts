import { t } from '@lingui/core/macro';
import type { UnsubscribeScope } from '../../../contracts/accounts/mail-preferences.ts';

type Words = {
  /** Completes "You will get no more …". */
  mails: string;
  /** What stays as it is. */
  rest: string;
};

const OF_SENDERS = t`All your other mails stay as they are; you can choose each kind in your settings.`;

export const WORDS: Record<UnsubscribeScope, Words> = {
  transfers: {
    mails: t`mails with transfers`,
    rest: t`People who send you files see that you do not take these mails. Codes and mails about an account of your own still come.`,
  },
  download: { mails: t`mails about downloads`, rest: OF_SENDERS },
  view: { mails: t`mails about views`, rest: OF_SENDERS },
  expiry: { mails: t`mails about expiring transfers`, rest: OF_SENDERS },
};
