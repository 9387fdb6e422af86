import { CalendarClock, Download, Files, Lock, type LucideIcon, Mail, Trash2 } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Link } from 'react-router';
import { transferPage } from '../../../contracts/pages.ts';
import { formatSize } from '../../../contracts/sizes.ts';
import type { Transfer } from '../../../contracts/transfers.ts';
import { Button } from '../../components/button.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Surface } from '../../components/surface.tsx';
import { CopyLinkButton } from './copy-link-button.tsx';
import { ExpiryBadge } from './expiry-badge.tsx';
import { countOf, downloadsOf, formatDateTime, titleOf } from './wording.ts';

/** One transfer in the list (specification section 2, "My Transfers"). */
export function TransferCard({ transfer, onDelete }: { transfer: Transfer; onDelete: () => void }) {
  const titleId = useId();
  const page = transferPage(transfer.id);
  return (
    <Surface as="article" aria-labelledby={titleId}>
      <div className="flex flex-col items-start gap-x-6 gap-y-3 sm:flex-row sm:justify-between">
        <h2 id={titleId} className="line-clamp-2 min-w-0 text-xl wrap-anywhere">
          <Link to={page} className="rounded-xs hover:text-accent-ink">
            {titleOf(transfer)}
          </Link>
        </h2>
        <ExpiryBadge transfer={transfer} />
      </div>
      <Facts transfer={transfer} />
      <div className="mt-5 flex flex-wrap gap-x-1.5 gap-y-2 sm:gap-2">
        <CopyLinkButton token={transfer.token} label="Copy Link" size="sm" />
        <LinkButton to={page} variant="secondary" size="sm">
          View Details
        </LinkButton>
        <Button
          variant="ghost"
          size="sm"
          icon={<Trash2 className="max-sm:hidden" />}
          className="ml-auto"
          onClick={onDelete}
        >
          Delete
        </Button>
      </div>
    </Surface>
  );
}

function Facts({ transfer }: { transfer: Transfer }) {
  const { fileCount, totalSize, recipientEmails, isPasswordProtected, scheduledAvailableAt } = transfer;
  const isWaiting = scheduledAvailableAt !== null && Date.parse(scheduledAvailableAt) > Date.now();
  return (
    <ul className="tabular mt-3 flex flex-wrap gap-x-6 gap-y-1.5 text-sm text-ink-soft">
      <Fact icon={Files}>
        {countOf(fileCount, 'file')} · {formatSize(totalSize)}
      </Fact>
      <Fact icon={Download}>{downloadsOf(transfer)}</Fact>
      {isPasswordProtected && <Fact icon={Lock}>Password protected</Fact>}
      {isWaiting && <Fact icon={CalendarClock}>Available from {formatDateTime(scheduledAvailableAt)}</Fact>}
      {recipientEmails.length > 0 && (
        <Fact icon={Mail} className="basis-full">
          <span className="line-clamp-2 wrap-anywhere">{recipientEmails.join(', ')}</span>
        </Fact>
      )}
    </ul>
  );
}

type FactProps = { icon: LucideIcon; className?: string; children: ReactNode };

function Fact({ icon: Icon, className = '', children }: FactProps) {
  return (
    <li className={`flex min-w-0 items-start gap-2 ${className}`}>
      <Icon aria-hidden="true" className="mt-[0.15em] size-4 shrink-0 text-ink-faint" strokeWidth={1.75} />
      <span className="min-w-0">{children}</span>
    </li>
  );
}
