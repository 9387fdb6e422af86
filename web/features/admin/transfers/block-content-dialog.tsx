import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  blockContent,
  listBlockedContents,
  REVIEWED_FILES_MAX,
  type ReviewedFile,
  reviewFiles,
} from '../../../../contracts/admin/scanning.ts';
import type { AbuseReport } from '../../../../contracts/admin/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { useAction } from '../../../api/use-action.ts';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { FieldError } from '../../../components/form/field.tsx';
import { Failure } from '../admin-page.tsx';
import { ReasonForm } from './reason-form.tsx';

type BlockContentDialogProps = { report: AbuseReport; isOpen: boolean; onClose: () => void };

/** Blocks a file of a reported transfer and every copy of its content. */
export function BlockContentDialog({ report, isOpen, onClose }: BlockContentDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      title={t`Block a file everywhere?`}
      description={t`Nobody will be able to download this content, even if it is sent again under another name. You can allow it again later.`}
    >
      <BlockContentForm transferId={report.transferId} onClose={onClose} />
    </Dialog>
  );
}

function BlockContentForm({ transferId, onClose }: { transferId: string; onClose: () => void }) {
  const {
    data,
    error: failure,
    refetch,
  } = useQuery({
    ...queryOf(reviewFiles, { query: { transferId } }),
    refetchOnMount: 'always',
  });
  const [chosen, setChosen] = useState<string>();
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useAction(
    ({ fileId, reason }: { fileId: string; reason: string }) =>
      call(blockContent, { body: { fileId, reason } }),
    {
      refreshes: [listBlockedContents],
      success: ({ fileName }) => ({
        title: t`Content blocked`,
        description: t`${fileName} and all copies of it can no longer be downloaded.`,
      }),
    },
  );
  if (!data)
    return failure ? (
      <Failure title={t`The files couldn't be loaded`} error={failure} onRetry={refetch} />
    ) : (
      <SkeletonGroup label={t`Loading files`}>
        <Skeleton className="h-32" />
      </SkeletonGroup>
    );
  const files = data.filter(({ size }) => size > 0);
  const [only] = files.length === 1 ? files : [];
  const fileId = chosen ?? only?.id;
  const submit = (reason: string) =>
    fileId ? mutate({ fileId, reason }, { onSuccess: onClose }) : setError(t`Please choose a file`);
  return (
    <ReasonForm
      label={t`Block a file everywhere`}
      submitLabel={t`Block everywhere`}
      isDestructive
      isBusy={isPending}
      onCancel={onClose}
      onSubmit={submit}
    >
      <fieldset className="mb-5">
        <legend className="mb-2 font-medium">
          <Trans>File</Trans>
        </legend>
        <div className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line-firm">
          {files.map((file) => (
            <FileChoice
              key={file.id}
              file={file}
              isChosen={file.id === fileId}
              onChoose={() => {
                setChosen(file.id);
                setError(undefined);
              }}
            />
          ))}
        </div>
        {error && (
          <div role="alert">
            <FieldError id="no-file-chosen">{error}</FieldError>
          </div>
        )}
        {data.length === REVIEWED_FILES_MAX && (
          <p className="mt-2 text-sm text-ink-faint">
            <Trans>These are the first {REVIEWED_FILES_MAX} files.</Trans>
          </p>
        )}
      </fieldset>
    </ReasonForm>
  );
}

type FileChoiceProps = { file: ReviewedFile; isChosen: boolean; onChoose: () => void };

function FileChoice({ file: { relativePath, size, held }, isChosen, onChoose }: FileChoiceProps) {
  const isBlocked = held === 'blocked';
  return (
    <label className="flex items-start gap-3 px-4 py-2.5 has-disabled:text-ink-faint">
      <input
        type="radio"
        name="file"
        className="mt-1 size-4 shrink-0 accent-accent-ink"
        checked={isChosen}
        disabled={isBlocked}
        onChange={onChoose}
      />
      <span className="min-w-0">
        <span className="block wrap-anywhere">{relativePath}</span>
        <span className="block text-xs text-ink-faint">
          {formatSize(size)}
          {isBlocked && t` · blocked`}
        </span>
      </span>
    </label>
  );
}
