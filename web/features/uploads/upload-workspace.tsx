import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { Button } from '../../components/actions/button.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { FilesSide } from '../../uploading/files-side.tsx';
import type { UploadState } from '../../uploading/upload-store.ts';
import { percentOf, resumeLabel } from '../../uploading/upload-words.ts';
import { AddingTo, type AddTarget } from './adding-to.tsx';
import { useKeptFiles } from './kept-files.ts';
import { ShareSettings } from './share-settings.tsx';
import { type SentTransfer, SuccessDialog } from './success-dialog.tsx';
import type { Plan } from './upload-limits.ts';
import { useSending } from './use-sending.ts';

type UploadWorkspaceProps = {
  userId: string;
  plan: Plan;
  /** The transfer to add files to; without it they become a transfer of their own. */
  target?: AddTarget;
};

/** Selects, sends and shows files on one side, and has their settings on the other. */
export function UploadWorkspace({ userId, plan, target }: UploadWorkspaceProps) {
  const { store, state, form, sent } = useSending({ userId, plan, target });
  const { isActive } = state;
  useKeptFiles(target ? undefined : store);
  const title = target ? t`Add Files` : t`Upload Files`;
  usePageTitle(isActive ? `${percentOf(state)}% · ${title}` : title);
  return (
    <div className="mt-rhythm grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <div className="flex min-w-0 flex-col gap-8 lg:sticky lg:top-[calc(var(--topbar)+1.5rem)]">
        <FilesSide
          store={store}
          state={state}
          maxBytes={Math.max(0, plan.limits.storagePerTransfer - (target?.totalSize ?? 0))}
          isAdding={target !== undefined}
          anewLabel={target ? t`Send from the beginning` : t`Send as a new transfer`}
          onStartAnew={store.startAnew}
        />
      </div>
      {target ? (
        <AddingTo target={target} limitBytes={plan.limits.storagePerTransfer} onSubmit={store.submit}>
          <SendButton state={state} label={t`Add files`} />
        </AddingTo>
      ) : (
        <ShareSettings
          form={form}
          plan={plan}
          isLocked={isActive}
          isButtonSticky={state.items.length > 0}
          onSubmit={store.submit}
        >
          <SendButton state={state} label={t`Upload`} />
        </ShareSettings>
      )}
      {sent && <Sent sent={sent} />}
    </div>
  );
}

function SendButton({ state, label }: { state: UploadState; label: string }) {
  const percent = `${percentOf(state)}%`;
  return (
    <Button
      type="submit"
      size="lg"
      className="w-full"
      isBusy={state.isActive}
      busyLabel={state.phase === 'paused' ? t`Paused at ${percent}` : t`Uploading ${percent}`}
    >
      {state.phase === 'failed' ? t`Try again` : state.resuming ? resumeLabel(state) : label}
    </Button>
  );
}

function Sent({ sent }: { sent: SentTransfer }) {
  const [seen, setSeen] = useState<SentTransfer>();
  return <SuccessDialog sent={sent} isOpen={sent !== seen} onClose={() => setSeen(sent)} />;
}
