import { t } from '@lingui/core/macro';
import type { UnsubscribeScope } from '../../../contracts/accounts/mail-preferences.ts';

type Words = {
  question: string;
  stopped: string;
  resumed: string;
  /** Which emails still arrive. */
  rest: string;
};

const OF_SENDERS = t`You still get all other emails. Choose which ones you want in your settings.`;

export const WORDS: Record<UnsubscribeScope, Words> = {
  transfers: {
    question: t`Stop emails with transfers?`,
    stopped: t`You won't get emails with transfers anymore`,
    resumed: t`You'll get emails with transfers again.`,
    rest: t`People who send you files can see that you don't accept these emails. You still get codes and emails about your own account.`,
  },
  download: {
    question: t`Stop emails about downloads?`,
    stopped: t`You won't get emails about downloads anymore`,
    resumed: t`You'll get emails about downloads again.`,
    rest: OF_SENDERS,
  },
  view: {
    question: t`Stop emails about views?`,
    stopped: t`You won't get emails about views anymore`,
    resumed: t`You'll get emails about views again.`,
    rest: OF_SENDERS,
  },
  expiry: {
    question: t`Stop emails about expiring transfers?`,
    stopped: t`You won't get emails about expiring transfers anymore`,
    resumed: t`You'll get emails about expiring transfers again.`,
    rest: OF_SENDERS,
  },
  reopen: {
    question: t`Stop emails about requests to reopen transfers?`,
    stopped: t`You won't get emails about requests to reopen transfers anymore`,
    resumed: t`You'll get emails about requests to reopen transfers again.`,
    rest: OF_SENDERS,
  },
};
