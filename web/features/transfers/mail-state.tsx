import { Check, CircleAlert, Clock, type LucideIcon } from 'lucide-react';
import type { Recipient } from '../../../contracts/transfers/transfers.ts';
import { classNames } from '../../lib/class-names.ts';
import { useRelativeTime } from '../../lib/relative-time.ts';
import { formatDateTime } from './wording.ts';

type Mail = NonNullable<Recipient['mail']>;

const STATES: Record<Mail['state'], { label: string; icon: LucideIcon; tone: string }> = {
  queued: { label: 'Queued', icon: Clock, tone: 'text-ink-soft' },
  sent: { label: 'Sent', icon: Check, tone: 'text-accent-ink' },
  failed: { label: 'Failed', icon: CircleAlert, tone: 'text-danger-ink' },
};

/** What became of the last mail to somebody, since when, and why not. */
export function MailState({ mail }: { mail: Recipient['mail'] }) {
  return mail ? <State mail={mail} /> : <span className="text-ink-faint">No mail</span>;
}

function State({ mail: { state, reason, at } }: { mail: Mail }) {
  const { label, icon: Icon, tone } = STATES[state];
  const ago = useRelativeTime(at);
  return (
    <span className="flex gap-1.5">
      <Icon aria-hidden="true" className={classNames('mt-0.5 size-4 shrink-0', tone)} />
      <span className="min-w-0">
        <span className={classNames('font-medium', tone)}>{label}</span>{' '}
        <time dateTime={at} title={formatDateTime(at)} className="tabular text-ink-soft @xl:block">
          {ago}
        </time>
        {reason && <span className="block text-xs wrap-anywhere text-ink-soft">{reason}</span>}
      </span>
    </span>
  );
}
