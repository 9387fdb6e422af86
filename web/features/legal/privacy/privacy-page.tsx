import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Definitions, LegalArticle, type LegalSection } from '../legal-article.tsx';
import { COOKIES } from './cookies.tsx';
import { RETENTION_PERIODS } from './retention-periods.tsx';
import { STORED_DATA } from './stored-data.ts';

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
        <Definitions rows={STORED_DATA} />
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
        <Definitions rows={RETENTION_PERIODS} />
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
        <Definitions rows={COOKIES} />
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
              <strong>Push services</strong> of the makers of browsers (such as Google, Mozilla and Apple)
              carry notifications to the devices where you turn them on; they see when there is one, but not
              what it says.
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
