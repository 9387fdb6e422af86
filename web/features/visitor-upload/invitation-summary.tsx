import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Clock, LockKeyhole } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/uploads/invitations.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Badge } from '../../components/feedback/badge.tsx';
import { Headline } from '../../components/layout/headline.tsx';
import { classNames } from '../../lib/class-names.ts';
import { useRelativeTime } from '../../lib/time/relative-time.ts';
import { describeRoom, describeTypes } from './invitation-words.ts';

/** About four lines. */
const SHORT_MESSAGE = 280;

type InvitationHeadProps = {
  details: Pick<InvitationDetails, 'title' | 'senderName' | 'message'>;
  /** Leaves more space for the files. */
  isCompact?: boolean;
};

/** Who asks for files, the title and the message. */
export function InvitationHead({ details: { title, senderName, message }, isCompact }: InvitationHeadProps) {
  return (
    <>
      <p className="mb-4 text-lg wrap-anywhere text-ink-soft">
        <Trans>
          <strong dir="auto" className="font-semibold text-ink">
            {senderName}
          </strong>{' '}
          is requesting files from you
        </Trans>
      </p>
      {isCompact ? (
        <h1 className={classNames('max-w-[24em] wrap-anywhere', compactSize(title))}>
          <bdi>{title}</bdi>
        </h1>
      ) : (
        <Headline title={title} />
      )}
      {message && <Message text={message} />}
    </>
  );
}

/** Smaller for long titles, so that the step stays in view. */
function compactSize(title: string): string {
  if (title.length <= 32) return 'text-4xl';
  return title.length <= 80 ? 'text-3xl' : 'text-2xl';
}

function Message({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= SHORT_MESSAGE);
  return (
    <div className="mt-6 max-w-[38rem]">
      <blockquote
        dir="auto"
        className={classNames(
          'border-l-2 border-accent-ink pl-4 wrap-anywhere whitespace-pre-line',
          !isWhole && 'line-clamp-4',
        )}
      >
        {text}
      </blockquote>
      {!isWhole && (
        <button type="button" className="link mt-2 min-h-8 text-sm" onClick={() => setWhole(true)}>
          <Trans>Show full message</Trans>
        </button>
      )}
    </div>
  );
}

/** The invitation's limits. */
export function InvitationFacts({ details }: { details: InvitationDetails }) {
  const { maxFiles, maxFileSize, maxTotalSize, remaining, allowedTypes, expiresAt } = details;
  const { encryption, senderName } = details;
  return (
    <section aria-labelledby="what-you-can-send" className="flex flex-col gap-4">
      <h2 id="what-you-can-send" className="text-xl">
        <Trans>What you can send</Trans>
      </h2>
      <ClosingBadge expiresAt={expiresAt} />
      {encryption && <EncryptionNote senderName={senderName} />}
      <dl className="-mb-2.5 divide-y divide-line border-t border-line">
        <Fact name={t`Files`}>{describeRoom(remaining.files, maxFiles, (count) => formatCount(count))}</Fact>
        <Fact name={t`Per file`}>
          <Trans>up to {formatSize(maxFileSize)}</Trans>
        </Fact>
        <Fact name={t`In total`}>{describeRoom(remaining.bytes, maxTotalSize, formatSize)}</Fact>
        <Fact name={t`File types`}>{describeTypes(allowedTypes)}</Fact>
      </dl>
    </section>
  );
}

function EncryptionNote({ senderName }: { senderName: string }) {
  return (
    <p className="flex gap-2.5 text-sm text-ink-soft">
      <LockKeyhole aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent-ink" />
      <span>
        <Trans>
          End-to-end encrypted: files, names and your message are encrypted in this browser. Only {senderName}{' '}
          can open them.
        </Trans>
      </span>
    </p>
  );
}

function ClosingBadge({ expiresAt }: { expiresAt: string }) {
  const when = useRelativeTime(expiresAt);
  const isNear = Date.parse(expiresAt) - Date.now() < DAY_MS;
  return (
    <Badge tone={isNear ? 'danger' : 'neutral'} icon={<Clock aria-hidden="true" />}>
      <time dateTime={expiresAt}>
        <Trans>Closes {when}</Trans>
      </time>
    </Badge>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-2.5">
      <dt className="shrink-0 text-ink-soft">{name}</dt>
      <dd className="tabular text-right font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}
