import { t } from '@lingui/core/macro';
import { Suspense } from 'react';
import { useWatch } from 'react-hook-form';
import { Button } from '../../components/actions/button.tsx';
import { preloadDialog } from '../../components/dialogs/dialog.tsx';
import { Checkbox } from '../../components/form/checkbox.tsx';
import { setDeviceSwitch, useDeviceSwitch } from '../../lib/browser/device-switch.ts';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { lateModule } from '../../lib/loading/late-module.ts';
import { lazy } from '../../lib/loading/lazy.ts';
import { isEncryptionOn } from '../../transfer-settings/settings-form.ts';
import { FilesSide } from '../../uploading/files-side.tsx';
import type { UploadState } from '../../uploading/upload-store.ts';
import { percentOf, resumeLabel } from '../../uploading/upload-words.ts';
import type { AddTarget } from './adding-to.tsx';
import { useKeptFiles } from './kept-files.ts';
import { ShareSettings } from './share-settings.tsx';
import type { SentTransfer } from './success-dialog.tsx';
import type { Plan } from './upload-limits.ts';
import { useOfferedFiles } from './use-offered-files.ts';
import { useSending } from './use-sending.ts';

const AddingTo = lazy(() => import('./adding-to.tsx').then((module) => ({ default: module.AddingTo })));
/** Sessions rarely end during an upload. */
const SignInAgain = lazy(() =>
  import('./sign-in-again.tsx').then((module) => ({ default: module.SignInAgain })),
);

const useShareNow = lateModule(() => import('./arrival/share-now.tsx'));
const useLiveLink = lateModule(() => import('./arrival/live-link.tsx'));

type UploadWorkspaceProps = {
  userId: string;
  plan: Plan;
  /** The transfer to add files to; without it they become a transfer of their own. */
  target?: AddTarget;
};

/** Selects, sends and shows files on one side, and has their settings on the other. */
export function UploadWorkspace({ userId, plan, target }: UploadWorkspaceProps) {
  const { sending, state, form, sent } = useSending({ userId, plan, target });
  const { store } = sending;
  useOfferedFiles(store);
  useKeptFiles(target ? undefined : store);
  const isChosen = useWatch({ control: form.control, name: 'isEncrypted' });
  const isEncrypted = isEncryptionOn(plan.limits.encryption, isChosen);
  const shareNow = useShareNow(state.canShareNow);
  const isShared = state.sharedToken !== undefined;
  const live = useLiveLink(isShared);
  const title = target ? t`Add Files` : t`Upload Files`;
  usePageTitle(state.isActive ? `${percentOf(state)}% · ${title}` : title);
  return (
    <div className="mt-rhythm grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <div className="flex min-w-0 flex-col gap-8 lg:sticky lg:top-[calc(var(--topbar)+1.5rem)]">
        {state.sharedToken && state.transferId && live && (
          <live.LiveLink token={state.sharedToken} link={state.link} transferId={state.transferId} />
        )}
        <FilesSide
          store={store}
          state={state}
          maxBytes={
            plan.isKnown ? Math.max(0, plan.limits.storagePerTransfer - (target?.totalSize ?? 0)) : undefined
          }
          isAdding={target !== undefined}
          isBoundToPage={target !== undefined}
          anewLabel={target ? t`Send from the beginning` : t`Send as a new transfer`}
          onStartAnew={store.startAnew}
          // Not beside the Upload button, which it would move as it comes and goes.
          moreActions={state.canShareNow && shareNow && <shareNow.ShareNow onShare={store.shareNow} />}
          proof={{
            title: t`Please sign in again`,
            form: (
              <Suspense fallback={null}>
                <SignInAgain onSignedIn={store.resume} />
              </Suspense>
            ),
          }}
        />
        {!target && !state.isLocked && <SendsAhead />}
      </div>
      {target ? (
        <Suspense fallback={null}>
          <AddingTo target={target} limitBytes={plan.limits.storagePerTransfer} onSubmit={store.submit}>
            <SendButton state={state} label={t`Add files`} />
          </AddingTo>
        </Suspense>
      ) : (
        <ShareSettings
          form={form}
          plan={plan}
          isLocked={state.phase === 'completing' || isShared}
          isEncrypted={isEncrypted}
          isEncryptionFixed={state.isLocked}
          isButtonSticky={state.items.length > 0}
          onSubmit={store.submit}
        >
          <SendButton state={state} label={t`Upload`} />
        </ShareSettings>
      )}
      {!target && <Sent sent={sent} onClose={sending.forgetSent} />}
    </div>
  );
}

/** The progress is shown with the files; the button only says what it does. */
function SendButton({ state, label }: { state: UploadState; label: string }) {
  const { phase, isLocked, trouble } = state;
  const isWaiting = phase === 'paused' || trouble?.kind === 'sign-in';
  return (
    <Button
      type="submit"
      size="lg"
      className="w-full"
      isBusy={isLocked && !isWaiting}
      disabled={isLocked && isWaiting}
      busyLabel={phase === 'completing' ? t`Finishing…` : t`Uploading…`}
    >
      {isLocked
        ? t`Paused`
        : phase === 'failed'
          ? t`Try again`
          : state.resuming && phase !== 'arrived'
            ? resumeLabel(state)
            : label}
    </Button>
  );
}

function SendsAhead() {
  const isOn = useDeviceSwitch('send-ahead');
  return (
    <Checkbox
      label={t`Start sending as soon as files are added`}
      hint={t`Nothing is shared until you press Upload. Saved on this device.`}
      checked={isOn}
      onChange={({ target }) => setDeviceSwitch('send-ahead', target.checked)}
    />
  );
}

/** Completely loaded before a long upload ends: the server may have been updated in the meantime. */
const useDialog = lateModule(
  async () => {
    await preloadDialog();
    return import('./success-dialog.tsx');
  },
  { isLikely: true },
);

type SentProps = { sent: SentTransfer | undefined; onClose: () => void };

/** Keyed by the transfer, so that the dialog starts anew with each. */
function Sent({ sent, onClose }: SentProps) {
  const loaded = useDialog(sent !== undefined);
  return sent && loaded && <loaded.SuccessDialog key={sent.transferId} sent={sent} onClose={onClose} />;
}
