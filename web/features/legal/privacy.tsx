import { Definitions, type LegalSection } from './legal-article.tsx';

/** Everything the database, the logs and the browser keep; to be kept true when a table or a cookie is added. */
export const PRIVACY: LegalSection[] = [
  {
    id: 'controller',
    title: 'Who is responsible',
    content: (
      <p>
        Sendwell is software that anybody may run. Responsible for your data is the <strong>operator</strong>{' '}
        of the installation you are using, at the address in your browser; “we” means the operator. You reach
        us through the contact published at that address, or at the one our own mails come from. The makers of
        the software receive nothing from it.
      </p>
    ),
  },
  {
    id: 'stored',
    title: 'What we store',
    content: (
      <>
        <Definitions
          rows={[
            [
              'Your account',
              'Name, username, e-mail address, plan, when it was created, and your preferences. Your password only as an argon2id hash, which cannot be turned back.',
            ],
            [
              'Sessions',
              'For each browser you sign in with: when it was last used, its address and what kind of browser it is, so that you can end sessions you do not know.',
            ],
            [
              'Transfers',
              'The files, their names and sizes, title, message, settings, and who sent them. A transfer’s password only as a hash.',
            ],
            [
              'Recipients',
              'The e-mail addresses a sender enters, whether the mail was sent, and whether it was downloaded through that recipient’s own link.',
            ],
            [
              'Downloads and views',
              'Time, IP address, browser, the page it came from and, derived from the address, country and city.',
            ],
            [
              'E-mails',
              'What was sent to which address, and whether it was delivered, until it is no longer needed for another try.',
            ],
            [
              'Invitations to register',
              'The address an administrator enters, until 30 days after the invitation has expired or until the account is deleted.',
            ],
            [
              'Payments',
              'Which plan you have and the references our payment provider gives us. Card numbers never reach us.',
            ],
            [
              'Advertisements',
              'On the free plan: how often each was seen and followed in all, not by whom. One that lies on a site of its own is loaded from there, and that site sees your address.',
            ],
            ['Server logs', 'Technical messages to find faults, without passwords and without share links.'],
          ]}
        />
        <p>
          We do not look into your files. Programs on the server check their type and draw previews where the
          sender’s plan has them; nothing is read by people, sold, or used to train anything.
        </p>
      </>
    ),
  },
  {
    id: 'purpose',
    title: 'Why we may',
    content: (
      <ul>
        <li>
          <strong>To deliver</strong>: accounts, transfers and the mails around them are what you asked us for
          (in the EU: Art. 6 (1) b GDPR).
        </li>
        <li>
          <strong>To tell senders</strong> whether their files arrived, and{' '}
          <strong>to keep limits and abuse</strong> in check: our and the senders’ legitimate interest (Art. 6
          (1) f).
        </li>
        <li>
          <strong>To obey the law</strong>: invoices and requests of authorities (Art. 6 (1) c).
        </li>
      </ul>
    ),
  },
  {
    id: 'retention',
    title: 'For how long',
    content: (
      <Definitions
        rows={[
          ['Files', 'Until the transfer expires or is deleted; then they are removed from the disk.'],
          [
            'Download logs',
            <>
              <strong>Up to 90 days</strong>, views and addresses included. Daily totals without addresses
              stay as long as the transfer.
            </>,
          ],
          [
            'Account',
            'Until you delete it; everything that belongs to it goes with it. Accounts whose address was never verified go after 7 days.',
          ],
          ['Sessions', 'Until you sign out, at most 30 days.'],
          [
            'Where you signed in before',
            'As a code that reveals no address, for 90 days, so that strangers who guess your password cannot lock you out.',
          ],
          ['Codes and links', 'Verification codes 15 minutes, links from e-mails as long as the mail says.'],
          ['Invoices', 'As long as tax law demands.'],
          ['Backups', 'If the operator makes any, until they are overwritten in turn.'],
        ]}
      />
    ),
  },
  {
    id: 'cookies',
    title: 'Cookies and storage',
    content: (
      <>
        <p>
          Only what the pages need to work, so no banner asks you. No cookie is read by anybody else. On https
          names begin with <code>__Host-</code> (the first two) or <code>__Secure-</code>.
        </p>
        <Definitions
          rows={[
            [<code key="name">sendwell_session</code>, 'Keeps you signed in, for at most 30 days.'],
            [
              <code key="name">sendwell_browser</code>,
              'Lets you sign in from this browser while strangers guess your password, for 90 days.',
            ],
            [
              <code key="name">sendwell_pending</code>,
              'Lets you enter the code after registering, for an hour.',
            ],
            [
              <code key="name">download-grant</code>,
              'Remembers that you gave the password of one transfer, for 12 hours.',
            ],
            [
              <code key="name">download-ticket</code>,
              'Lets an interrupted download go on without counting twice, for a day.',
            ],
            [<code key="name">sidebar_state</code>, 'Whether the sidebar is open, for 7 days.'],
            [
              <code key="name">theme</code>,
              'Light or dark, in your browser’s local storage, until you clear it.',
            ],
            [
              <code key="name">sendwell-uploads</code>,
              'Which files an unfinished upload was sending, in your browser’s database, so that it can go on after a closed tab. It never leaves your device.',
            ],
          ]}
        />
      </>
    ),
  },
  {
    id: 'recipients',
    title: 'If you were sent something',
    content: (
      <>
        <p>
          We have your address because a sender entered it. We use it for that transfer only: the link, and at
          most a reminder before it expires. Every such mail has a link to <strong>unsubscribe</strong>; after
          that no sender can write to your address through this installation, until you allow it again.
        </p>
        <p>
          Your own link tells the sender whether you downloaded. You need no account, and you may ask us what
          we hold about your address and have it removed, like everybody else.
        </p>
      </>
    ),
  },
  {
    id: 'sharing',
    title: 'Who else sees it',
    content: (
      <>
        <ul>
          <li>
            <strong>Recipients</strong> see the sender’s name or e-mail address, title, message and files;{' '}
            <strong>senders</strong> see the downloads and views of their transfers, addresses included.
          </li>
          <li>
            <strong>Providers</strong> the operator uses for computers, storage, mail and payment, each bound
            to work for us only, and only with what its part needs.
          </li>
          <li>
            <strong>Authorities</strong>, where the law obliges us.
          </li>
        </ul>
        <p>Nobody else. The pages load nothing from other companies, except the payment form when you pay.</p>
      </>
    ),
  },
  {
    id: 'security',
    title: 'How it is protected',
    content: (
      <p>
        Connections are encrypted where the operator’s address begins with https. Links carry at least 128
        bits of chance and cannot be guessed; passwords, codes and sessions are stored as hashes only; files
        are always delivered as downloads that no page can run. If a breach endangers you, we tell you and the
        authority in charge without delay.
      </p>
    ),
  },
  {
    id: 'rights',
    title: 'Your rights',
    content: (
      <>
        <p>
          You may know what we hold about you and get a copy, have it corrected or deleted, object to its use
          or have it restricted, and complain to a data protection authority. Much of it needs no letter:
        </p>
        <ul>
          <li>change your name, e-mail address, password and notifications in the settings;</li>
          <li>end sessions there, or delete the account with everything in it;</li>
          <li>delete a transfer, and its files, recipients and logs go with it;</li>
          <li>unsubscribe with the link in any mail that a transfer caused.</li>
        </ul>
        <p>For everything else write to the operator. We answer within a month.</p>
      </>
    ),
  },
  {
    id: 'children',
    title: 'Children',
    content: (
      <p>
        People <strong>under 13 are not served</strong>. If you learn that a child has an account, tell us,
        and we remove it.
      </p>
    ),
  },
  {
    id: 'changes',
    title: 'Changes to this policy',
    content: (
      <p>
        When what we store changes, this page changes with it, and the date at the top says so. Of changes
        that matter we tell account holders by e-mail before they apply.
      </p>
    ),
  },
];
