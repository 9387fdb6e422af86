import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import {
  type BlockedContent,
  listBlockedContents,
  unblockContent,
} from '../../../../contracts/admin/scanning.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { ListBody } from '../lists/list-body.tsx';
import { usePages } from '../lists/use-pages.ts';
import { useLast } from '../use-last.ts';

export function BlockedContents() {
  const list = usePages(listBlockedContents, {});
  const [content, setContent] = useState<BlockedContent | null>(null);
  return (
    <>
      <ListBody
        list={list}
        onClear={undefined}
        nothing={
          <EmptyState
            icon={<ShieldCheck />}
            title={t`No contents are blocked`}
            description={t`From a report, you can block a file and all its copies, even if it is sent again.`}
          />
        }
      >
        {(contents) => (
          <DataTable
            label={t`Blocked contents`}
            rows={contents}
            keyOf={({ id }) => id}
            heading={{ label: t`Content`, render: (each) => <Name content={each} /> }}
            columns={COLUMNS}
            actions={(each) => (
              <Button variant="secondary" size="sm" onClick={() => setContent(each)}>
                <Trans>Allow again</Trans>
              </Button>
            )}
          />
        )}
      </ListBody>
      <AllowDialog content={content} onClose={() => setContent(null)} />
    </>
  );
}

const COLUMNS: Column<BlockedContent>[] = [
  {
    label: t`Reason`,
    isWide: true,
    render: ({ reason }) => <span className="whitespace-pre-line wrap-anywhere">{reason}</span>,
  },
  { label: t`Size`, isNumber: true, render: ({ size }) => formatSize(size) },
  {
    label: t`Blocked`,
    render: ({ blockedAt, blockedBy }) => (
      <>
        <time dateTime={blockedAt}>{formatDateTime(blockedAt)}</time>
        <span className="block text-xs text-ink-faint">
          <Trans>by {blockedBy}</Trans>
        </span>
      </>
    ),
  },
];

function Name({ content: { fileName, sha256 } }: { content: BlockedContent }) {
  return (
    <div className="max-w-96 min-w-0">
      <p className="line-clamp-2 font-medium wrap-anywhere">{fileName}</p>
      <p className="truncate font-mono text-xs text-ink-faint" title={sha256}>
        {sha256}
      </p>
    </div>
  );
}

function AllowDialog({ content, onClose }: { content: BlockedContent | null; onClose: () => void }) {
  const shown = useLast(content ?? undefined);
  const { mutate, isPending } = useAction((id: string) => call(unblockContent, { params: { id } }), {
    outdated: [listBlockedContents],
    refreshes: [listBlockedContents],
    success: {
      title: t`Content allowed again`,
      description: t`Its files can be downloaded in a moment.`,
    },
  });
  if (!shown) return null;
  return (
    <ConfirmDialog
      title={t`Allow this content again?`}
      description={
        <Trans>
          Every file with the content of{' '}
          <strong className="font-medium wrap-anywhere text-ink">{shown.fileName}</strong> can be downloaded
          again, unless the virus scanner finds something in it.
        </Trans>
      }
      confirmLabel={t`Allow again`}
      isOpen={content !== null}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(shown.id, { onSettled: onClose })}
    />
  );
}
