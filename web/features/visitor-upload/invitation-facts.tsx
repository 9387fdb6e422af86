import { Clock } from 'lucide-react';
import type { ReactNode } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/invitations.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Badge } from '../../components/badge.tsx';
import { useRelativeTime } from '../../lib/relative-time.ts';
import { describeRoom, describeTypes } from './invitation-words.ts';

const DAY_MS = 86_400_000;

/** What may be sent, in plain words; for a card. */
export function InvitationFacts({ details }: { details: InvitationDetails }) {
  const { maxFiles, maxFileSize, maxTotalSize, remaining, allowedTypes, expiresAt } = details;
  return (
    <section aria-labelledby="what-you-can-send" className="flex flex-col gap-4">
      <h2 id="what-you-can-send" className="text-xl">
        What you can send
      </h2>
      <ClosingBadge expiresAt={expiresAt} />
      <dl className="-mb-2.5 divide-y divide-line border-t border-line">
        <Fact name="Files">
          {describeRoom(remaining.files, maxFiles, (count) => count.toLocaleString('en'))}
        </Fact>
        <Fact name="Each of them">up to {formatSize(maxFileSize)}</Fact>
        <Fact name="All together">{describeRoom(remaining.bytes, maxTotalSize, formatSize)}</Fact>
        <Fact name="File types">{describeTypes(allowedTypes)}</Fact>
      </dl>
    </section>
  );
}

function ClosingBadge({ expiresAt }: { expiresAt: string }) {
  const when = useRelativeTime(expiresAt);
  const isNear = Date.parse(expiresAt) - Date.now() < DAY_MS;
  return (
    <Badge tone={isNear ? 'danger' : 'neutral'} icon={<Clock aria-hidden="true" />}>
      <time dateTime={expiresAt}>Closes {when}</time>
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
