import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { FilesSide } from '../../uploading/files-side.tsx';
import { percentOf, resumeLabel } from '../../uploading/upload-words.ts';
import { AddingTo, type AddTarget } from './adding-to.tsx';
import { ShareSettings } from './share-settings.tsx';
import { SuccessDialog } from './success-dialog.tsx';
import type { Plan } from './upload-limits.ts';
import { type Sending, useSending } from './use-sending.ts';

type UploadWorkspaceProps = {
  userId: string;
  plan: Plan;
  /** The transfer the files are added to; without it they become one of their own. */
  target?: AddTarget;
};

/** Files on one side, how they are shared on the other; the same place shows them going. */
export function UploadWorkspace({ userId, plan, target }: UploadWorkspaceProps) {
  const sending = useSending({ userId, plan, target });
  const { upload, form, submit } = sending;
  const { state, isActive } = upload;
  const title = target ? 'Add Files' : 'Upload Files';
  usePageTitle(isActive ? `${percentOf(state)}% · ${title}` : title);
  return (
    <div className="mt-rhythm grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <div className="flex min-w-0 flex-col gap-8 lg:sticky lg:top-[calc(var(--topbar)+1.5rem)]">
        <FilesSide
          course={sending}
          maxBytes={Math.max(0, plan.limits.storagePerTransfer - (target?.totalSize ?? 0))}
          isAdding={target !== undefined}
          anewLabel={target ? 'Send from the beginning' : 'Send as a new transfer'}
          onStartAnew={sending.intake.startAnew}
        />
      </div>
      {target ? (
        <AddingTo target={target} limitBytes={plan.limits.storagePerTransfer} onSubmit={submit}>
          <SendButton sending={sending} label="Add files" />
        </AddingTo>
      ) : (
        <ShareSettings
          form={form}
          plan={plan}
          isLocked={isActive}
          isButtonSticky={state.items.length > 0}
          onSubmit={submit}
        >
          <SendButton sending={sending} label="Upload" />
        </ShareSettings>
      )}
      <Arrived sending={sending} />
    </div>
  );
}

function SendButton({ sending: { upload, intake }, label }: { sending: Sending; label: string }) {
  const { state, isActive } = upload;
  const percent = `${percentOf(state)}%`;
  return (
    <Button
      type="submit"
      size="lg"
      className="w-full"
      isBusy={isActive}
      busyLabel={state.phase === 'paused' ? `Paused at ${percent}` : `Uploading ${percent}`}
    >
      {state.phase === 'failed' ? 'Try again' : intake.resuming ? resumeLabel(state) : label}
    </Button>
  );
}

function Arrived({ sending: { sent } }: { sending: Sending }) {
  const [seen, setSeen] = useState<typeof sent>();
  return sent && <SuccessDialog sent={sent} isOpen={sent !== seen} onClose={() => setSeen(sent)} />;
}
