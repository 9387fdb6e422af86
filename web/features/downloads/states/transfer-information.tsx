import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Clock, LockKeyhole } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { formatDate, formatLongDateTime } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';

/** The transfer's facts for recipients, above the files: low, so that files are on a phone's first screen. */
export function TransferInformation({ view }: { view: DownloadView }) {
  const { message, createdAt, expiresAt, maxDownloads, downloadCount = 0 } = view;
  return (
    <Surface
      as="section"
      padding="none"
      aria-labelledby="transfer-information"
      className="flex flex-col gap-3 p-4 sm:gap-4 sm:p-5"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 id="transfer-information" className="grow text-base">
          <Trans>Transfer Information</Trans>
        </h2>
        {expiresAt && <ExpiryBadge expiresAt={expiresAt} />}
        {view.isPasswordProtected && (
          <Badge tone="outline" icon={<LockKeyhole aria-hidden="true" />}>
            <Trans>Password Protected</Trans>
          </Badge>
        )}
      </div>
      {message && <Message text={message} />}
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {createdAt && (
          <Fact name={t`Uploaded`}>
            <time dateTime={createdAt} title={formatLongDateTime(createdAt)}>
              {formatDate(createdAt)}
            </time>
          </Fact>
        )}
        {typeof maxDownloads === 'number' && (
          <Fact name={t`Download Limit`}>
            {formatCount(downloadCount)} / {formatCount(maxDownloads)}
          </Fact>
        )}
        <Fact name={t`Total Downloads`}>{formatCount(downloadCount)}</Fact>
      </dl>
    </Surface>
  );
}

function ExpiryBadge({ expiresAt }: { expiresAt: string }) {
  const when = useRelativeTime(expiresAt);
  const isNear = Date.parse(expiresAt) - Date.now() < DAY_MS;
  return (
    <Badge tone={isNear ? 'danger' : 'neutral'} icon={<Clock aria-hidden="true" />}>
      <time dateTime={expiresAt} title={formatLongDateTime(expiresAt)}>
        <Trans>Expires {when}</Trans>
      </time>
    </Badge>
  );
}

/** A message of about five lines of a phone is shown whole. */
const SHORT = { characters: 200, lines: 5 };

function isShort(text: string): boolean {
  return text.length <= SHORT.characters && text.split('\n').length <= SHORT.lines;
}

function Message({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(isShort(text));
  return (
    <figure className="border-l-2 border-accent-ink pl-4">
      <figcaption className="text-sm text-ink-faint">
        <Trans>Message from sender</Trans>
      </figcaption>
      <blockquote
        dir="auto"
        className={classNames(
          'mt-1 max-w-[44rem] wrap-anywhere whitespace-pre-line',
          !isWhole && 'line-clamp-4',
        )}
      >
        {text}
      </blockquote>
      {!isWhole && (
        <button type="button" className="link mt-1 min-h-8 text-sm" onClick={() => setWhole(true)}>
          <Trans>Show full message</Trans>
        </button>
      )}
    </figure>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="tabular font-medium">{children}</dd>
    </div>
  );
}
