import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ShieldCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type HeldFile, listHeldFiles, releaseHeldFile } from '../../../../contracts/admin/scanning.ts';
import { deleteAnyTransfer } from '../../../../contracts/admin/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { describeUnscanned } from '../../../lib/values/unscanned-reason.ts';
import { FilterSelect } from '../lists/filter-select.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { usePages } from '../lists/use-pages.ts';
import { oneOf, useView } from '../lists/use-view.ts';
import { useLast } from '../use-last.ts';
import { BlockedContents } from './blocked-contents.tsx';
import { ReasonForm } from './reason-form.tsx';

const STATES = ['unscanned', 'contents'] as const;
const OPTIONS = [
  { value: '', label: t`Malware found` },
  { value: 'unscanned', label: t`Not scanned` },
  { value: 'contents', label: t`Blocked contents` },
];

export function HeldFiles() {
  const { view, change } = useView(['held'] as const);
  const state = oneOf(STATES, view.held);
  return (
    <>
      <search className="mb-6 flex w-fit max-sm:w-full">
        <FilterSelect
          label={t`Which files`}
          options={OPTIONS}
          value={state ?? ''}
          onChange={(held) => change({ held })}
        />
      </search>
      {state === 'contents' ? (
        <BlockedContents />
      ) : (
        <HeldList key={state ?? ''} state={state ?? 'infected'} />
      )}
    </>
  );
}

type OpenDialog = { kind: 'release' | 'delete'; file: HeldFile };

function HeldList({ state }: { state: 'infected' | 'unscanned' }) {
  const list = usePages(listHeldFiles, { state });
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  return (
    <>
      <ListBody
        list={list}
        onClear={undefined}
        nothing={
          <EmptyState
            icon={<ShieldCheck />}
            title={state === 'infected' ? t`No infected files` : t`No files wait for a review`}
            description={
              state === 'infected'
                ? t`When the virus scanner finds something in a file, it is blocked and listed here.`
                : t`With SCAN_UNSCANNED=hold, files that could not be scanned wait here for your decision.`
            }
          />
        }
      >
        {(files) => (
          <DataTable
            label={t`Held files`}
            rows={files}
            keyOf={({ id }) => id}
            heading={{ label: t`File`, render: (file) => <Name file={file} /> }}
            columns={COLUMNS}
            actions={(file) => (
              <>
                <Button variant="secondary" size="sm" onClick={() => setDialog({ kind: 'release', file })}>
                  <Trans>Release</Trans>
                </Button>
                <IconButton
                  label={t`Delete the transfer with ${file.relativePath}`}
                  icon={<Trash2 />}
                  size="sm"
                  onClick={() => setDialog({ kind: 'delete', file })}
                />
              </>
            )}
          />
        )}
      </ListBody>
      <Dialogs dialog={dialog} onClose={() => setDialog(null)} />
    </>
  );
}

const COLUMNS: Column<HeldFile>[] = [
  {
    label: t`Found`,
    isWide: true,
    render: ({ state, finding, foundAt }) => (
      <>
        <span className="block wrap-anywhere">
          {state === 'infected' ? finding : t`Not scanned: ${describeUnscanned(finding)}`}
        </span>
        <time dateTime={foundAt} className="block text-xs text-ink-faint">
          {formatDateTime(foundAt)}
        </time>
      </>
    ),
  },
  {
    label: t`Owner`,
    render: ({ owner, ownerEmail }) => (
      <>
        <span className="block wrap-anywhere">{owner}</span>
        <span className="block text-xs wrap-anywhere text-ink-faint">{ownerEmail}</span>
      </>
    ),
  },
  { label: t`Size`, isNumber: true, render: ({ size }) => formatSize(size) },
];

function Name({ file: { relativePath, transferTitle, sha256 } }: { file: HeldFile }) {
  return (
    <div className="max-w-96 min-w-0">
      <p className="line-clamp-2 font-medium wrap-anywhere">{relativePath}</p>
      <p className="text-xs wrap-anywhere text-ink-faint">
        {transferTitle && t`in “${transferTitle}”`}
        {sha256 && <span className="block truncate font-mono">{sha256}</span>}
      </p>
    </div>
  );
}

function Dialogs({ dialog, onClose }: { dialog: OpenDialog | null; onClose: () => void }) {
  // Keep the content while the dialog fades out.
  const file = useLast(dialog?.file);
  if (!file) return null;
  return (
    <>
      <ReleaseDialog file={file} isOpen={dialog?.kind === 'release'} onClose={onClose} />
      <DeleteDialog file={file} isOpen={dialog?.kind === 'delete'} onClose={onClose} />
    </>
  );
}

type HeldDialogProps = { file: HeldFile; isOpen: boolean; onClose: () => void };

const outdated = [listHeldFiles];

function ReleaseDialog({ file, isOpen, onClose }: HeldDialogProps) {
  const { mutate, isPending } = useAction(
    (reason: string) => call(releaseHeldFile, { params: { id: file.id }, body: { reason } }),
    {
      outdated,
      refreshes: outdated,
      success: {
        title: t`File released`,
        description: t`It can be downloaded, unless other files of its transfer are held.`,
      },
    },
  );
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title={t`Release this file?`}
      description={
        <Trans>
          Anyone with the link will be able to download{' '}
          <strong className="font-medium wrap-anywhere text-ink">{file.relativePath}</strong>. Other files
          with the same content are released as well, now and later.
        </Trans>
      }
    >
      <ReasonForm
        label={t`Release file`}
        submitLabel={t`Release file`}
        isDestructive={file.state === 'infected'}
        isBusy={isPending}
        onCancel={onClose}
        onSubmit={(reason) => mutate(reason, { onSuccess: onClose })}
      />
    </Dialog>
  );
}

function DeleteDialog({ file, isOpen, onClose }: HeldDialogProps) {
  const { mutate, isPending } = useAction(
    () => call(deleteAnyTransfer, { params: { id: file.transferId } }),
    {
      outdated,
      refreshes: outdated,
      success: {
        title: t`Transfer deleted`,
        description: t`The transfer and all associated files have been deleted.`,
      },
    },
  );
  return (
    <ConfirmDialog
      title={t`Delete this transfer?`}
      description={
        <Trans>
          {file.transferTitle ? `“${file.transferTitle}”` : t`The transfer`} of {file.owner} will be deleted
          with all its files. This cannot be undone.
        </Trans>
      }
      confirmLabel={t`Delete transfer`}
      isDestructive
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(undefined, { onSettled: onClose })}
    />
  );
}
