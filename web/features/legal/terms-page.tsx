import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { TIERS, tierLabel } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { TierNumber } from '../../components/feedback/tier-number.tsx';
import { Link } from '../../lib/routing.tsx';
import { LegalArticle, type LegalSection } from './legal-article.tsx';

const TERMS: LegalSection[] = [
  {
    id: 'agreement',
    title: t`What you agree to`,
    content: (
      <>
        <p>
          <Trans>
            Sendwell is software for sending files. The <strong>operator</strong> is the person or company
            that runs the installation you are using, at the address in your browser; “we” and “us” mean the
            operator. “You” means everyone who uses it, with or without an account.
          </Trans>
        </p>
        <p>
          <Trans>
            By creating an account, sending files or downloading them you accept these terms. If you act for a
            company, you confirm that you may accept them for it. How we treat personal data is described in
            the{' '}
            <Link to={PAGES.privacy} className="link">
              Privacy Policy
            </Link>
            .
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'service',
    title: t`The service`,
    content: (
      <>
        <p>
          <Trans>
            You upload files into a <strong>transfer</strong> and get a link. Anyone who has the link can
            download the files until the transfer expires, its download limit is reached, or you delete it.
            Depending on your plan you may protect a transfer with a password, schedule it, limit its
            downloads and let it delete itself after the last one.
          </Trans>
        </p>
        <p>
          <Trans>
            Sendwell carries files from one place to another.{' '}
            <strong>It is not an archive or a backup.</strong> Keep your originals: expired and deleted files
            cannot be brought back.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'account',
    title: t`Your account`,
    content: (
      <>
        <p>
          <Trans>
            You must be <strong>at least 13 years old</strong>; people under 13 are not served. If the law
            where you live asks for a higher age for such an agreement, that age applies, or a parent must
            agree.
          </Trans>
        </p>
        <p>
          <Trans>
            Give a true email address and confirm it, keep your password to yourself, and tell us if someone
            else has used your account. You answer for what happens through it. One account belongs to one
            person or one company; it cannot be sold or handed on without our consent.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'plans',
    title: t`Plans and limits`,
    content: (
      <>
        <p>
          <Trans>The plans of this installation, at this moment:</Trans>
        </p>
        <PlansTable />
        <p>
          <Trans>
            Retention is the longest time a transfer may stay available; you can choose any shorter one, from
            one day. Monthly totals follow the calendar month (UTC), and deleting a transfer does not give its
            bytes back. We may change limits; a transfer that was sent keeps what it was promised.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'billing',
    title: t`Payment and cancellation`,
    content: (
      <ul>
        <li>
          <Trans>
            Paid plans are <strong>billed monthly</strong>, in advance, at the price shown when you subscribe.
            Your card is handled by our payment provider; we never see its number.
          </Trans>
        </li>
        <li>
          <Trans>
            A plan renews every month until you cancel it.{' '}
            <strong>Cancelling takes effect at the end of the period</strong> you have paid for; until then
            you keep the plan.
          </Trans>
        </li>
        <li>
          <Trans>
            There are <strong>no refunds for partial months</strong>, except where the law gives you a right
            to one.
          </Trans>
        </li>
        <li>
          <Trans>
            If a payment fails, we tell you and may move the account to the free plan. Existing transfers keep
            what they were promised.
          </Trans>
        </li>
        <li>
          <Trans>The free plan shows advertisements that the operator chooses; paid plans do not.</Trans>
        </li>
        <li>
          <Trans>We announce a higher price by email at least 30 days before it applies to you.</Trans>
        </li>
      </ul>
    ),
  },
  {
    id: 'content',
    title: t`Your files stay yours`,
    content: (
      <p>
        <Trans>
          You keep all rights in what you send. You give us only the permission that carrying it needs: to
          store it, to copy it technically, to make previews where your plan has them, and to deliver it to
          those who have your link, until the transfer ends. You confirm that you have the right to send it,
          and to give us the email addresses of the people you send it to.
        </Trans>
      </p>
    ),
  },
  {
    id: 'acceptable-use',
    title: t`What is not allowed`,
    content: (
      <>
        <p>
          <Trans>Do not use Sendwell</Trans>
        </p>
        <ul>
          <li>
            <Trans>for anything illegal, or for files that you have no right to pass on;</Trans>
          </li>
          <li>
            <Trans>for material that sexualizes or abuses children, in any form, anywhere;</Trans>
          </li>
          <li>
            <Trans>for malware, stolen data, credentials, or pages that impersonate someone else;</Trans>
          </li>
          <li>
            <Trans>to threaten, harass or expose people;</Trans>
          </li>
          <li>
            <Trans>to send mail to people who do not want it, or as a host for mass distribution;</Trans>
          </li>
          <li>
            <Trans>
              to get around limits, passwords or other people’s links, to disturb the service, or to test its
              security without our consent.
            </Trans>
          </li>
        </ul>
      </>
    ),
  },
  {
    id: 'report',
    title: t`Reporting abuse`,
    content: (
      <>
        <p>
          <Trans>
            If a transfer breaks the law or your rights, tell the operator: the whole link, what is wrong with
            it, and how we can reach you. For copyright, add which work it is and a statement that you act for
            its owner. Do not send the material itself.
          </Trans>
        </p>
        <p>
          <Trans>
            We review every report. We may block or remove a transfer, suspend or close an account, and, where
            the law demands it, inform authorities. Where we may, we tell the sender why and let them answer.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'ending',
    title: t`Ending your use`,
    content: (
      <>
        <p>
          <Trans>
            You can delete single transfers at any time, and your account with everything in it in the
            settings. Deleting cannot be undone. A paid plan ends with the account.
          </Trans>
        </p>
        <p>
          <Trans>
            We may suspend or close an account that seriously or repeatedly breaks these terms. If we shut
            down the service, we say so at least 30 days in advance, so that you can save your files.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'liability',
    title: t`Warranty and liability`,
    content: (
      <>
        <p>
          <Trans>
            We run Sendwell with care, but we do not promise that it is always available or free of errors. It
            is provided as it is.
          </Trans>
        </p>
        <p>
          <Trans>
            As far as the law allows, we are not liable for lost profit or data, nor for indirect damage; in
            total our liability is limited to what you paid in the twelve months before the damage. Nothing
            here limits liability for intent, gross negligence, injury, or anything else that cannot be
            limited by law, and nothing takes away the rights you have as a consumer.
          </Trans>
        </p>
      </>
    ),
  },
  {
    id: 'changes',
    title: t`Changes to these terms`,
    content: (
      <p>
        <Trans>
          We may change these terms, for instance when the service or the law changes. The date at the top
          says when that last happened. We email account holders about important changes at least 30 days in
          advance; if you do not agree, you can cancel and delete your account before they apply.
        </Trans>
      </p>
    ),
  },
  {
    id: 'contact',
    title: t`Law and contact`,
    content: (
      <p>
        <Trans>
          The law of the place where the operator has its seat applies, without taking from you the protection
          of the law where you live. Write to the operator through the contact published at the address of
          this installation, or to the address its own mails come from. If one of these terms turns out to be
          invalid, the others stay in force.
        </Trans>
      </p>
    ),
  },
];

/** The configured numbers of the plans. They take precedence over any other text. */
function PlansTable() {
  return (
    <table className="tabular w-full text-left text-sm [&_td]:border-t [&_td]:border-line [&_td]:py-3 [&_td]:pr-3 [&_th]:py-3 [&_th]:pr-3 [&_th]:align-bottom">
      <caption className="sr-only">
        <Trans>What the plans include</Trans>
      </caption>
      <thead className="text-ink-soft [&_th]:font-normal">
        <tr>
          <th scope="col">
            <Trans>Plan</Trans>
          </th>
          <th scope="col">
            <Trans>Per transfer</Trans>
          </th>
          <th scope="col">
            <Trans>Per month</Trans>
          </th>
          <th scope="col">
            <Trans>Retention</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {TIERS.map((tier) => (
          <tr key={tier}>
            <th scope="row" className="border-t border-line font-semibold text-ink">
              {tierLabel(tier)}
            </th>
            <td>
              <TierNumber name={`${tier}.storagePerTransfer`} />
            </td>
            <td>
              <TierNumber name={`${tier}.monthlyTotal`} />
            </td>
            <td>
              <TierNumber name={`${tier}.retentionDays`} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function TermsPage() {
  return (
    <LegalArticle
      title={t`Terms of Service`}
      summary={t`These are the rules between you and the operator of this Sendwell installation, in plain words.`}
      sections={TERMS}
    />
  );
}
