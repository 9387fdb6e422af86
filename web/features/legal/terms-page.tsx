import { Link } from 'react-router';
import { TIERS, tierLabel } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { TierNumber } from '../../components/feedback/tier-number.tsx';
import { LegalArticle, type LegalSection } from './legal-article.tsx';

const TERMS: LegalSection[] = [
  {
    id: 'agreement',
    title: 'What you agree to',
    content: (
      <>
        <p>
          Sendwell is software for sending files. The <strong>operator</strong> is the person or company that
          runs the installation you are using, at the address in your browser; “we” and “us” mean the
          operator. “You” means everybody who uses it, with an account or without.
        </p>
        <p>
          By creating an account, sending files or downloading them you accept these terms. If you act for a
          company, you confirm that you may accept them for it. How we treat personal data is described in the{' '}
          <Link to={PAGES.privacy} className="link">
            Privacy Policy
          </Link>
          .
        </p>
      </>
    ),
  },
  {
    id: 'service',
    title: 'The service',
    content: (
      <>
        <p>
          You upload files into a <strong>transfer</strong> and get a link. Whoever has the link can download
          the files until the transfer expires, its download limit is reached, or you delete it. Depending on
          your plan you may protect a transfer with a password, schedule it, limit its downloads and let it
          delete itself after the last one.
        </p>
        <p>
          Sendwell carries files from one place to another. <strong>It is no archive and no backup.</strong>{' '}
          Keep your originals: expired and deleted files cannot be brought back.
        </p>
      </>
    ),
  },
  {
    id: 'account',
    title: 'Your account',
    content: (
      <>
        <p>
          You must be <strong>at least 13 years old</strong>; people under 13 are not served. If the law where
          you live asks for a higher age for such an agreement, that age applies, or a parent must agree.
        </p>
        <p>
          Give a true email address and confirm it, keep your password to yourself, and tell us if somebody
          else has used your account. You answer for what happens through it. One account belongs to one
          person or one company; it cannot be sold or handed on without our consent.
        </p>
      </>
    ),
  },
  {
    id: 'plans',
    title: 'Plans and limits',
    content: (
      <>
        <p>The plans of this installation, at this moment:</p>
        <PlansTable />
        <p>
          Retention is the longest time a transfer may stay available; you can choose any shorter one, from
          one day. Monthly totals follow the calendar month (UTC), and deleting a transfer does not give its
          bytes back. We may change limits; a transfer that was sent keeps what it was promised.
        </p>
      </>
    ),
  },
  {
    id: 'billing',
    title: 'Payment and cancellation',
    content: (
      <ul>
        <li>
          Paid plans are <strong>billed monthly</strong>, in advance, at the price shown when you subscribe.
          Your card is handled by our payment provider; we never see its number.
        </li>
        <li>
          A plan renews every month until you cancel it.{' '}
          <strong>Cancelling takes effect at the end of the period</strong> you have paid for; until then you
          keep the plan.
        </li>
        <li>
          There are <strong>no refunds for partial months</strong>, except where the law gives you a right to
          one.
        </li>
        <li>
          If a payment fails, we tell you and may move the account to the free plan. Existing transfers keep
          what they were promised.
        </li>
        <li>The free plan shows advertisements that the operator chooses; paid plans do not.</li>
        <li>We announce a higher price by email at least 30 days before it applies to you.</li>
      </ul>
    ),
  },
  {
    id: 'content',
    title: 'Your files stay yours',
    content: (
      <p>
        You keep all rights in what you send. You give us only the permission that carrying it needs: to store
        it, to copy it technically, to make previews where your plan has them, and to deliver it to those who
        have your link, until the transfer ends. You confirm that you have the right to send it, and to give
        us the email addresses of the people you send it to.
      </p>
    ),
  },
  {
    id: 'acceptable-use',
    title: 'What is not allowed',
    content: (
      <>
        <p>Do not use Sendwell</p>
        <ul>
          <li>for anything illegal, or for files that you have no right to pass on;</li>
          <li>for material that sexualises or abuses children, in any form, anywhere;</li>
          <li>for malware, stolen data, credentials, or pages that pretend to be somebody else;</li>
          <li>to threaten, harass or expose people;</li>
          <li>to send mail to people who do not want it, or as a host for mass distribution;</li>
          <li>
            to get around limits, passwords or other people’s links, to disturb the service, or to test its
            security without our consent.
          </li>
        </ul>
      </>
    ),
  },
  {
    id: 'report',
    title: 'Reporting abuse',
    content: (
      <>
        <p>
          If a transfer breaks the law or your rights, tell the operator: the whole link, what is wrong with
          it, and how we can reach you. For copyright, add which work it is and a statement that you act for
          its owner. Do not send the material itself.
        </p>
        <p>
          We look at every report. We may block or remove a transfer, suspend or close an account, and, where
          the law demands it, inform authorities. Where we may, we tell the sender why and let them answer.
        </p>
      </>
    ),
  },
  {
    id: 'ending',
    title: 'Ending it',
    content: (
      <>
        <p>
          You can delete single transfers at any time, and your account with everything in it in the settings.
          Deleting cannot be undone. A paid plan ends with the account.
        </p>
        <p>
          We may suspend or close an account that seriously or repeatedly breaks these terms. If the service
          is to be shut down, we say so at least 30 days before, so that you can save your files.
        </p>
      </>
    ),
  },
  {
    id: 'liability',
    title: 'Warranty and liability',
    content: (
      <>
        <p>
          We run Sendwell with care, but we do not promise that it is always available or free of errors. It
          is provided as it is.
        </p>
        <p>
          As far as the law allows, we are not liable for lost profit or data, nor for indirect damage; in
          total our liability is limited to what you paid in the twelve months before the damage. Nothing here
          limits liability for intent, gross negligence, injury, or anything else that cannot be limited by
          law, and nothing takes away the rights you have as a consumer.
        </p>
      </>
    ),
  },
  {
    id: 'changes',
    title: 'Changes to these terms',
    content: (
      <p>
        We may change these terms, for instance when the service or the law changes. The date at the top says
        when that last happened. Of changes that matter we tell account holders by email at least 30 days
        before; if you do not agree, you can cancel and delete your account before they apply.
      </p>
    ),
  },
  {
    id: 'contact',
    title: 'Law and contact',
    content: (
      <p>
        The law of the place where the operator has its seat applies, without taking from you the protection
        of the law where you live. Write to the operator through the contact published at the address of this
        installation, or to the address its own mails come from. If one of these terms turns out to be
        invalid, the others stay in force.
      </p>
    ),
  },
];

/** The plans' numbers as they are configured, which supersede any other text (decisions, "Retention"). */
function PlansTable() {
  return (
    <table className="tabular w-full text-left text-sm [&_td]:border-t [&_td]:border-line [&_td]:py-3 [&_td]:pr-3 [&_th]:py-3 [&_th]:pr-3 [&_th]:align-bottom">
      <caption className="sr-only">What the plans include</caption>
      <thead className="text-ink-soft [&_th]:font-normal">
        <tr>
          <th scope="col">Plan</th>
          <th scope="col">Per transfer</th>
          <th scope="col">Per month</th>
          <th scope="col">Retention</th>
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
      title="Terms of Service"
      summary="Send what is yours to send, do no harm with it, and it arrives. These are the rules between you and whoever operates this installation of Sendwell, in plain words."
      sections={TERMS}
    />
  );
}
