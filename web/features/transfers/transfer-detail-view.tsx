import { ArrowLeft, ExternalLink, Send, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { sharePath } from '../../../contracts/links.ts';
import { PAGES } from '../../../contracts/pages.ts';
import type { TransferDetail } from '../../../contracts/transfers.ts';
import { Button } from '../../components/button.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { useRelativeTime } from '../../lib/relative-time.ts';
import { CopyLinkButton, linkOf } from './copy-link-button.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { DownloadActivity } from './download-activity.tsx';
import { ExpiryBadge } from './expiry-badge.tsx';
import { ResendDialog } from './resend-dialog.tsx';
import { TransferFacts, TransferTotals } from './transfer-facts.tsx';
import { TransferFiles } from './transfer-files.tsx';
import { useDeleteTransfer } from './transfer-queries.ts';
import { formatDateTime, titleOf } from './wording.ts';

export function TransferDetailView({ transfer }: { transfer: TransferDetail }) {
  return (
    <article className="animate-fade-in">
      <Link
        to={PAGES.dashboard}
        className="-ml-1 inline-flex items-center gap-2 rounded-full px-1 py-1.5 text-sm text-ink-soft hover:text-ink"
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
        My Transfers
      </Link>
      <Heading transfer={transfer} />
      <ShareBar transfer={transfer} />
      <TransferTotals transfer={transfer} />
      <div className="mt-rhythm grid gap-x-14 gap-y-rhythm lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-rhythm max-lg:order-last">
          <Section title="Files">
            <TransferFiles files={transfer.files} />
          </Section>
          <Section title="Download Activity">
            <DownloadActivity transfer={transfer} />
          </Section>
        </div>
        <div className="flex min-w-0 flex-col gap-10">
          <TransferFacts transfer={transfer} />
        </div>
      </div>
    </article>
  );
}

function Heading({ transfer }: { transfer: TransferDetail }) {
  const createdAgo = useRelativeTime(transfer.createdAt);
  return (
    <header className="mt-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="min-w-0 text-3xl wrap-anywhere">{titleOf(transfer)}</h1>
        <ExpiryBadge transfer={transfer} />
      </div>
      <p className="mt-2 text-sm text-ink-faint">
        Created <time dateTime={transfer.createdAt}>{formatDateTime(transfer.createdAt)}</time>, {createdAgo}
      </p>
    </header>
  );
}

/** The link as text, so that it can also be read and selected, and what can be done with the transfer. */
function ShareBar({ transfer }: { transfer: TransferDetail }) {
  const [dialog, setDialog] = useState<'resend' | 'delete' | null>(null);
  const close = () => setDialog(null);
  return (
    <div className="mt-8 flex flex-col gap-4">
      <div className="flex flex-col gap-3 rounded-lg border border-line-firm bg-surface p-2 sm:flex-row sm:items-center sm:rounded-full">
        <p className="min-w-0 grow px-4 font-mono text-sm wrap-anywhere text-ink-soft select-all max-sm:pt-2">
          {linkOf(transfer.token)}
        </p>
        <CopyLinkButton token={transfer.token} label="Copy Share Link" variant="primary" />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="secondary"
          size="sm"
          icon={<Send />}
          disabled={transfer.isExpired}
          onClick={() => setDialog('resend')}
        >
          Resend Email
        </Button>
        <LinkButton
          to={sharePath(transfer.token)}
          target="_blank"
          variant="secondary"
          size="sm"
          icon={<ExternalLink />}
        >
          Open download page
        </LinkButton>
        <Button
          variant="ghost"
          size="sm"
          icon={<Trash2 />}
          className="sm:ml-auto"
          onClick={() => setDialog('delete')}
        >
          Delete
        </Button>
      </div>
      <ResendDialog transfer={transfer} isOpen={dialog === 'resend'} onClose={close} />
      <Deletion transfer={transfer} isOpen={dialog === 'delete'} onClose={close} />
    </div>
  );
}

type DeletionProps = { transfer: TransferDetail; isOpen: boolean; onClose: () => void };

function Deletion({ transfer, isOpen, onClose }: DeletionProps) {
  const navigate = useNavigate();
  const { mutateAsync, isPending } = useDeleteTransfer();
  const confirm = async () => {
    const isDeleted = await mutateAsync(transfer.id).then(
      () => true,
      () => false,
    );
    onClose();
    if (isDeleted) navigate(PAGES.dashboard);
  };
  return (
    <DeleteDialog
      transfer={transfer}
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={confirm}
    />
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h2 className="mb-3 text-xl">{title}</h2>
      {children}
    </section>
  );
}
