import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Clock, LockKeyhole } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { DownloadView } from '../../../../contracts/transfers/downloads.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { formatDate, formatLongDateTime } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';

/** About eight lines of the card. */
const SHORT_MESSAGE = 320;

/** The transfer's facts for recipients. */
export function TransferInformation({ view }: { view: DownloadView }) {
  const { message, createdAt, expiresAt, maxDownloads, downloadCount = 0 } = view;
  return (
    <Surface as="section" aria-labelledby="transfer-information" className="flex flex-col gap-4">
      <h2 id="transfer-information" className="text-xl">
        <Trans>Transfer Information</Trans>
      </h2>
      {(view.isPasswordProtected || expiresAt) && (
        <div className="flex flex-wrap gap-2">
          {expiresAt && <ExpiryBadge expiresAt={expiresAt} />}
          {view.isPasswordProtected && (
            <Badge tone="outline" icon={<LockKeyhole aria-hidden="true" />}>
              <Trans>Password Protected</Trans>
            </Badge>
          )}
        </div>
      )}
      {message && <Message text={message} />}
      <dl className="-mb-2.5 divide-y divide-line border-t border-line">
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

function Message({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= SHORT_MESSAGE);
  return (
    <figure>
      <figcaption className="text-sm text-ink-faint">
        <Trans>Message from sender</Trans>
      </figcaption>
      <blockquote
        className={classNames(
          'mt-2 border-l-2 border-accent-ink pl-4 wrap-anywhere whitespace-pre-line',
          !isWhole && 'line-clamp-8',
        )}
      >
        {text}
      </blockquote>
      {!isWhole && (
        <button type="button" className="link mt-2 min-h-8 text-sm" onClick={() => setWhole(true)}>
          <Trans>Show full message</Trans>
        </button>
      )}
    </figure>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-2.5">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="tabular text-right font-medium">{children}</dd>
    </div>
  );
}
