import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ACCOUNT_EVENTS_MAX } from '../../../contracts/accounts/events.ts';
import { DELIVERY_DAYS } from '../../../contracts/accounts/webhooks.ts';
import { FATES_KEPT_DAYS } from '../../../contracts/admin/lookup.ts';
import { ANALYTICS_DAYS } from '../../../contracts/analytics.ts';
import { RETENTION as R } from '../../../contracts/transfers/retention.ts';
import { Definitions, LegalArticle, type LegalSection } from './legal-article.tsx';

const DAYS_PER_MONTH = 365 / 12;
const TOTALS_MONTHS = Math.floor(ANALYTICS_DAYS.premium / DAYS_PER_MONTH);

const days = (amount: number) => plural(amount, { one: '# day', other: '# days' });
const hours = (amount: number) =>
  amount % 24 === 0 ? days(amount / 24) : plural(amount, { one: '# hour', other: '# hours' });

// Times as words, under names that translators see in the messages.
const deliveryLogTime = days(DELIVERY_DAYS);
const outcomeTime = days(FATES_KEPT_DAYS);
const accessLogTime = days(R.accessLogDays);
const expiredAccountInvitationTime = days(R.expiredAccountInvitationDays);
const expiredTransferTime = days(R.expiredTransferDays);
const failedMailTextTime = days(R.failedMailTextDays);
const knownPlaceTime = days(R.knownPlaceDays);
const mailTime = days(R.mailDays);
const paymentEventTime = days(R.paymentEventDays);
const sessionTime = days(R.sessionDays);
const sidebarCookieTime = days(R.sidebarCookieDays);
const trashTime = days(R.trashDays);
const unverifiedAccountTime = days(R.unverifiedAccountDays);
const visitTime = days(R.visitDays);
const downloadTicketTime = hours(R.downloadTicketHours);
const idempotencyTime = hours(R.idempotencyHours);
const pendingCookieTime = hours(R.pendingCookieHours);
const rateCounterTime = hours(R.rateCounterHours);
const unfinishedUploadTime = hours(R.unfinishedUploadHours);
const unlockedTransferTime = hours(R.unlockedTransferHours);
const visitorCookieTime = hours(R.visitorCookieHours);
const codeMinutes = R.verificationCodeMinutes;

/**
 * The periods are the ones that the server applies. A test fails if a table or cookie is missing here.
 */
export const PRIVACY: LegalSection[] = [
  {
    id: 'controller',
    title: t`Who is responsible`,
    content: (
      <p>
        <Trans>
          Sendwell is software that anyone can run. The <strong>operator</strong> of the installation you are
          using, at the address in your browser, is responsible for your data; “we” means the operator. Reach
          us through the contact published there, or at the address that our own mails come from. The makers
          of the software receive nothing from it.
        </Trans>
      </p>
    ),
  },
  {
    id: 'stored',
    title: t`What we store`,
    content: (
      <>
        <Definitions
          rows={[
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
              t`The email addresses that a sender enters, whether the mail was sent, and whether the recipient’s own link was opened and downloaded from.`,
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
          ]}
        />
        <p>
          <Trans>
            We do not look into your files. Programs on the server check their type and make previews where
            the sender’s plan includes them; nothing is read by people, sold, or used to train anything.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'purpose',
    title: t`Why we may`,
    content: (
      <ul>
        <li>
          <Trans>
            <strong>To deliver</strong>: accounts, transfers and the mails around them are what you asked us
            for (in the EU: Art. 6 (1) b GDPR).
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>To tell senders</strong> whether their files arrived, and{' '}
            <strong>to keep limits and abuse</strong> in check: our and the senders’ legitimate interest (Art.
            6 (1) f).
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>To obey the law</strong>: invoices and requests of authorities (Art. 6 (1) c).
          </Trans>
        </li>
      </ul>
    ),
  },
  {
    id: 'retention',
    title: t`For how long`,
    content: (
      <>
        <Definitions
          rows={[
            [
              t`Files you delete`,
              t`Destroyed within minutes. The same holds for transfers that delete themselves after the last download.`,
            ],
            [
              t`Expired transfers`,
              t`Nobody can download them anymore. Files and data are removed ${expiredTransferTime} later, so that an administrator can extend a transfer until then.`,
            ],
            [t`Unfinished uploads`, t`Removed after ${unfinishedUploadTime} in which nothing happened.`],
            [
              t`Stray files`,
              t`Files that belong to no transfer, for example after a crash, are kept in a trash for ${trashTime}.`,
            ],
            [
              t`Download logs`,
              <Trans key="download-logs">
                <strong>Up to {accessLogTime}</strong>, views and network addresses included. Daily totals
                without addresses are kept for {TOTALS_MONTHS} months, but no longer than the account.
              </Trans>,
            ],
            [
              t`Emails`,
              t`${mailTime}. The text is deleted as soon as the email is sent or, if sending fails, after ${failedMailTextTime}.`,
            ],
            [
              t`Account`,
              t`Until you delete it; everything that belongs to it is deleted with it. Accounts whose address was never verified are removed after ${unverifiedAccountTime}.`,
            ],
            [t`Sessions`, t`Until you sign out, at most ${sessionTime}.`],
            [
              t`Known places`,
              t`${knownPlaceTime} after you last signed in from there. Counters of attempts are kept for at most ${rateCounterTime}.`,
            ],
            [
              t`Codes and links`,
              t`Verification codes are valid for ${codeMinutes} minutes, links in emails for as long as the email says.`,
            ],
            [
              t`Visitors`,
              t`Your visit: ${visitTime}. Your address with the files you sent: as long as the receiver keeps them.`,
            ],
            [
              t`API keys, webhooks`,
              t`Until you delete them. Logs of webhook deliveries: ${deliveryLogTime}. Stored responses to repeated API calls: ${idempotencyTime}.`,
            ],
            [t`Outcome of a transfer`, t`When it ended and why, without names and content: ${outcomeTime}.`],
            [t`Abuse reports`, t`As long as the transfer they are about.`],
            [t`Blocked and released files`, t`Until an administrator reverses the decision.`],
            [t`Audit log`, t`As long as the installation exists, because it proves what administrators did.`],
            [
              t`Invoices`,
              t`Here as long as the account; the payment provider keeps them as long as tax law requires. Its messages to us: ${paymentEventTime}.`,
            ],
            [
              t`Invitations to register`,
              t`Until ${expiredAccountInvitationTime} after they have expired, or until the account is deleted.`,
            ],
            [t`Unsubscribed addresses`, t`Until you allow emails again.`],
            [t`Logs and backups`, t`As long as the operator keeps them; backups until they are overwritten.`],
          ]}
        />
        <p>
          <Trans>
            Removal by age stops if the server’s clock jumps or if far more than usual would be removed, until
            an administrator confirms it. Data may then stay a little longer.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'cookies',
    title: t`Cookies and storage`,
    content: (
      <>
        <p>
          <Trans>
            We only use what the pages need to work, so no banner asks you. Nobody else can read these
            cookies. On https, their names begin with <code>__Host-</code> or <code>__Secure-</code>.
          </Trans>
        </p>
        <Definitions
          rows={[
            [<code key="name">sendwell_session</code>, t`Keeps you signed in, for at most ${sessionTime}.`],
            [
              <code key="name">sendwell_browser</code>,
              t`Lets you sign in from this browser while someone else is guessing your password, for ${knownPlaceTime}.`,
            ],
            [
              <code key="name">sendwell_sign_in</code>,
              t`Lets you enter your second factor after the password, for 5 minutes.`,
            ],
            [
              <code key="name">sendwell_passkey</code>,
              t`Ties the request for your passkey to this browser, for 5 minutes.`,
            ],
            [
              <code key="name">sendwell_sso</code>,
              t`Lets you come back from the provider with which you sign in, for 10 minutes.`,
            ],
            [
              <code key="name">sendwell_pending</code>,
              t`Lets you enter the code after registering, for ${pendingCookieTime}.`,
            ],
            [
              <code key="name">visitor-…</code>,
              t`Lets you send files to one upload invitation after you verified your address, for ${visitorCookieTime} after you last used it.`,
            ],
            [
              <code key="name">download-grant</code>,
              t`Remembers that you entered the password of one transfer, for ${unlockedTransferTime}.`,
            ],
            [
              <code key="name">download-ticket</code>,
              t`Lets an interrupted download continue without counting twice, for ${downloadTicketTime}.`,
            ],
            [
              <code key="name">sidebar_state</code>,
              t`Whether the sidebar is open, for ${sidebarCookieTime}.`,
            ],
            [
              <code key="name">theme</code>,
              t`Light or dark, in your browser’s local storage, until you clear it.`,
            ],
            [<code key="name">language</code>, t`The language you chose for the pages.`],
            [
              <code key="name">send-ahead, …</code>,
              t`What you switched on or off under “This device”, in your browser’s local storage, until you clear it.`,
            ],
            [
              <code key="name">sendwell-uploads</code>,
              t`Which files an unfinished upload was sending, in your browser’s database, so that it can resume after you close the tab. It never leaves your device.`,
            ],
            [
              <code key="name">sendwell-kept-files</code>,
              t`Files you chose before signing in, in your browser’s database, until you sign in or discard them, at most for a day. They leave your device only when you upload them.`,
            ],
          ]}
        />
      </>
    ),
  },
  {
    id: 'recipients',
    title: t`If you were sent something`,
    content: (
      <>
        <p>
          <Trans>
            We have your address because a sender entered it. We use it for that transfer only: for the link,
            which the sender may send again, and a reminder before it expires. Every such mail has a link to{' '}
            <strong>unsubscribe</strong>; after that no sender can write to your address through this
            installation until you allow it again.
          </Trans>
        </p>
        <p>
          <Trans>
            Your own link tells the sender whether you opened it and downloaded. You need no account, and like
            everyone else, you can ask what we store about your address and have it removed.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'sharing',
    title: t`Who else sees it`,
    content: (
      <>
        <ul>
          <li>
            <Trans>
              <strong>Recipients</strong> see the sender’s name or email address, title, message and files;{' '}
              <strong>senders</strong> see the downloads and views of their transfers, network addresses
              included, and may have a service of their choice notified by webhook.
            </Trans>
          </li>
          <li>
            <Trans>
              <strong>Messengers and social networks</strong> that someone puts a link into see the title,
              number and size of the files and the sender’s name, to show a preview; nothing of a transfer
              with a password or before its scheduled time.
            </Trans>
          </li>
          <li>
            <Trans>
              <strong>Providers</strong> the operator uses for computers, storage, mail and payment, each
              bound to work for us only, and only with what its part needs.
            </Trans>
          </li>
          <li>
            <Trans>
              <strong>Authorities</strong>, where the law obliges us.
            </Trans>
          </li>
        </ul>
        <p>
          <Trans>
            Nobody else. The pages load nothing from other companies, except the payment form when you pay
            and, on the free plan, ads hosted on other sites.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'security',
    title: t`How it is protected`,
    content: (
      <p>
        <Trans>
          Connections are encrypted where the operator’s address begins with https. Links contain at least 128
          random bits and cannot be guessed; passwords, codes and sessions are stored as hashes only; files
          are always delivered as downloads that no page can run. If a breach endangers you, we tell you and
          the authority in charge without delay.
        </Trans>
      </p>
    ),
  },
  {
    id: 'rights',
    title: t`Your rights`,
    content: (
      <>
        <p>
          <Trans>
            You have the right to know what we store about you and get a copy, have it corrected or deleted,
            object to its use or have it restricted, and complain to a data protection authority. You can do
            much of this yourself:
          </Trans>
        </p>
        <ul>
          <li>
            <Trans>change your name, email address, password and notifications in the settings;</Trans>
          </li>
          <li>
            <Trans>end sessions there, or delete the account with everything in it;</Trans>
          </li>
          <li>
            <Trans>delete a transfer with its files, recipients and logs;</Trans>
          </li>
          <li>
            <Trans>unsubscribe with the link in any email about a transfer.</Trans>
          </li>
        </ul>
        <p>
          <Trans>For everything else, write to the operator. We answer within a month.</Trans>
        </p>
      </>
    ),
  },
  {
    id: 'children',
    title: t`Children`,
    content: (
      <p>
        <Trans>
          People <strong>under 13 are not served</strong>. If you learn that a child has an account, tell us,
          and we remove it.
        </Trans>
      </p>
    ),
  },
  {
    id: 'changes',
    title: t`Changes to this policy`,
    content: (
      <p>
        <Trans>
          When what we store changes, this page changes with it, and the date at the top says so. We email
          account holders about important changes before they apply.
        </Trans>
      </p>
    ),
  },
];

export function PrivacyPage() {
  return (
    <LegalArticle
      title={t`Privacy Policy`}
      summary={t`We store what sending files needs, for as long as it needs it. No advertising networks, no trackers, no analytics by other companies. Here is everything, by name.`}
      sections={PRIVACY}
    />
  );
}
