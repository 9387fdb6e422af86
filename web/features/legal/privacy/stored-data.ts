import { t } from '@lingui/core/macro';
import { ACCOUNT_EVENTS_MAX } from '../../../../contracts/accounts/events.ts';
import type { Definition } from '../legal-article.tsx';

/** A test fails if a table with data about people is missing both here and in `RETENTION_PERIODS`. */
export const STORED_DATA: Definition[] = [
  [
    t`Your account`,
    t`Name, username, email address, plan, how the account was created, your preferences, and the background picture you upload. Your password only as an argon2id hash, which cannot be reversed.`,
  ],
  [
    t`Sessions`,
    t`For each browser you sign in with: when it was last used, its network address and the kind of browser, so that you can end sessions you do not recognize.`,
  ],
  [
    t`Signing in`,
    t`The name, public key and last use of each passkey, the encrypted secret of an authenticator app, recovery codes only as hashes, and the last ${ACCOUNT_EVENTS_MAX} sign-ins and changes of your account’s security with their network address and browser, for at most 180 days.`,
  ],
  [
    t`Single sign-on`,
    t`If you sign in with a provider such as your company’s: which one, its identifier for you, the email address it reported when you linked it, and when you last used it, until you unlink it.`,
  ],
  [
    t`Transfers`,
    t`Files, their names, sizes and previews, title, message, settings, the result of a malware scan if the operator has one, and who sent them. A transfer’s password only as a hash.`,
  ],
  [
    t`Recipients`,
    t`The email addresses that a sender enters, whether the mail was sent, and whether the recipient’s own link was opened and downloaded from. The address that you enter on a download page to be emailed when all files are there, until that email is written.`,
  ],
  [
    t`Visitors`,
    t`If you send files through an upload invitation: your verified email address, and what you sent.`,
  ],
  [
    t`Downloads and views`,
    t`Time, network address, browser, the page it came from and, looked up on our own server, country and city.`,
  ],
  [
    t`Emails`,
    t`What was sent to which address, and whether it was delivered. An address that unsubscribed, so that no sender can write to it.`,
  ],
  [
    t`API keys`,
    t`Name, permissions, the first characters, and when a key was last used. The key itself only as a hash.`,
  ],
  [
    t`Webhooks`,
    t`The address you enter, and a log of what was sent there: titles, file names and recipients of your transfers, and the answers.`,
  ],
  [t`Invitations to register`, t`The email address that an administrator enters.`],
  [
    t`Payments`,
    t`Your plan, invoices, coupons you used, and the references of the payment provider. Card numbers never reach us.`,
  ],
  [
    t`Abuse reports`,
    t`Which transfer was reported and why, the reporter’s network address and, if given, their email address. Only administrators see them.`,
  ],
  [
    t`Blocked and released files`,
    t`If the operator scans files for malware or blocks a reported file: its name, size and SHA-256, what was found, the reason, and which administrator decided.`,
  ],
  [
    t`Audit log`,
    t`What administrators did, when, from which network address, and to whose account or transfer.`,
  ],
  [
    t`Advertisements`,
    t`On the free plan: how often each one was seen and followed in total, not by whom. An ad may load its picture or film from a site of its own; that site sees your network address.`,
  ],
  [
    t`Protection against abuse`,
    t`How often something was tried, by account, email address or network address. Places that you signed in from before, in a form that reveals no address.`,
  ],
  [
    t`Server logs`,
    t`Technical messages, and events such as failed sign-ins with their network address. No passwords and no share links.`,
  ],
];
