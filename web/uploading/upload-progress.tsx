import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CircleAlert, CircleCheck, Pause, Play, RotateCw, X } from 'lucide-react';
import { type ReactNode, type Ref, useState } from 'react';
import { formatSize } from '../../contracts/values/sizes.ts';
import { Button } from '../components/actions/button.tsx';
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx';
import { ProgressBar } from '../components/feedback/progress-bar.tsx';
import { Ripples } from '../components/layout/ripples.tsx';
import { Surface } from '../components/layout/surface.tsx';
import { VisuallyHidden } from '../components/layout/visually-hidden.tsx';
import type { EngineState } from './engine/engine-state.ts';
import { describeState, formatDuration, percentOf, sentShare } from './upload-words.ts';

type UploadProgressProps = {
  state: EngineState;
  onPause: () => void;
  onResume: () => void;
  onRetry: () => void;
  onCancel: () => void;
  /** Focused when the transfer is submitted. */
  headingRef: Ref<HTMLHeadingElement>;
  /** Shown when the session or a visitor's verification has expired. */
  proof?: Proof | undefined;
  /** Last, so that what comes and goes here moves no other button. */
  moreActions?: ReactNode;
};

export type Proof = {
  /** The heading while it is shown. */
  title: string;
  /** The form that identifies the sender again and resumes the upload. */
  form: ReactNode;
};

/** The transfer's progress, problems, and actions. */
export function UploadProgress({
  state,
  onCancel,
  headingRef,
  proof,
  moreActions,
  ...actions
}: UploadProgressProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { phase, trouble } = state;
  const isMoving = !trouble && (phase === 'uploading' || phase === 'preparing' || phase === 'completing');
  const words = describeState(state, proof?.title);
  const percent = percentOf(state);
  return (
    <Surface
      as="section"
      padding="lg"
      aria-labelledby="upload-state"
      className="relative isolate overflow-hidden"
      data-testid="upload-progress"
      data-phase={phase}
    >
      <Ripples
        motion="arrive"
        tone={isMoving ? 'accent' : 'quiet'}
        count={7}
        className="absolute top-[5.5rem] right-[4.5rem] -z-10 size-[40rem] translate-x-1/2 -translate-y-1/2 opacity-40"
      />
      <h2
        id="upload-state"
        ref={headingRef}
        tabIndex={-1}
        className="flex items-center gap-2 text-xl outline-none"
      >
        {(phase === 'failed' || trouble) && (
          <CircleAlert aria-hidden="true" className="size-5.5 shrink-0 text-danger-ink" />
        )}
        {phase === 'arrived' && (
          <CircleCheck aria-hidden="true" className="size-5.5 shrink-0 text-accent-ink" />
        )}
        {phase === 'paused' && !trouble && (
          <Pause aria-hidden="true" className="size-5.5 shrink-0 text-ink-soft" />
        )}
        {words}
      </h2>
      <p className="tabular mt-1 font-heading text-display" aria-hidden="true">
        {percent}%
      </p>
      <ProgressBar
        label={t`Upload progress`}
        value={phase === 'preparing' && !trouble ? null : sentShare(state)}
        valueText={`${percent}%, ${describeBytes(state)}`}
        state={
          phase === 'failed' ? 'failed' : isMoving ? 'running' : phase === 'arrived' ? 'done' : 'stopped'
        }
        className="mt-5"
      />
      <Details state={state} />
      <Advice state={state} proof={proof} />
      <div className="mt-6 flex flex-wrap gap-3 empty:hidden">
        {!(proof && trouble?.kind === 'sign-in') && <MainAction state={state} {...actions} />}
        {phase !== 'completing' && (
          <Button variant="ghost" className="first:-ml-5" icon={<X />} onClick={() => setConfirming(true)}>
            <Trans>Cancel</Trans>
          </Button>
        )}
        {moreActions}
      </div>
      {/* Announces each 10 % and each change of state; more would drown out the page. */}
      <VisuallyHidden isAnnounced>
        {words} {Math.floor(percent / 10) * 10}%
      </VisuallyHidden>
      <ConfirmDialog
        isOpen={isConfirming}
        onOpenChange={setConfirming}
        title={t`Cancel this upload?`}
        description={t`The uploaded data will be deleted. The files on your device are not affected.`}
        confirmLabel={t`Cancel upload`}
        cancelLabel={t`Keep uploading`}
        isDestructive
        onConfirm={() => {
          setConfirming(false);
          onCancel();
        }}
      />
    </Surface>
  );
}

function Details({ state }: { state: EngineState }) {
  const { bytesPerSecond, secondsLeft, phase, trouble } = state;
  const isMoving = phase === 'uploading' && !trouble;
  return (
    <p className="tabular mt-3 flex flex-wrap gap-x-5 gap-y-1 text-ink-soft">
      <span>{describeBytes(state)}</span>
      {isMoving && bytesPerSecond !== undefined && <span>{formatSize(bytesPerSecond)}/s</span>}
      {isMoving && secondsLeft !== undefined && (
        <span>
          <Trans>{formatDuration(secondsLeft)} left</Trans>
        </span>
      )}
    </p>
  );
}

function Advice({
  state: { phase, trouble, error, isSubmitted },
  proof,
}: Pick<UploadProgressProps, 'state' | 'proof'>) {
  if (trouble?.kind === 'sign-in' && proof) return <div className="mt-4">{proof.form}</div>;
  if (trouble)
    return (
      <p className="mt-4">
        <Trans>Nothing is lost. The upload continues automatically.</Trans>
      </p>
    );
  if (phase === 'failed') return <p className="mt-4 wrap-anywhere">{error}</p>;
  if (phase === 'paused')
    return (
      <p className="mt-4 text-ink-soft">
        <Trans>Uploaded data is kept for 24 hours.</Trans>
      </p>
    );
  if (!isSubmitted)
    return (
      <p className="mt-4 text-ink-soft">
        <Trans>Nothing is shared until you press Upload.</Trans>
      </p>
    );
  return null;
}

type MainActionProps = Pick<UploadProgressProps, 'state' | 'onPause' | 'onResume' | 'onRetry'>;

function MainAction({ state: { phase, trouble }, onPause, onResume, onRetry }: MainActionProps) {
  if (phase === 'failed') {
    return (
      <Button icon={<RotateCw />} onClick={onRetry}>
        <Trans>Try again</Trans>
      </Button>
    );
  }
  if (phase === 'paused' || trouble?.kind === 'sign-in') {
    return (
      <Button icon={<Play />} onClick={onResume}>
        <Trans>Resume</Trans>
      </Button>
    );
  }
  if (phase !== 'uploading') return null;
  return (
    <Button variant="secondary" icon={<Pause />} onClick={onPause}>
      <Trans>Pause</Trans>
    </Button>
  );
}

function describeBytes({ sentBytes, totalBytes }: EngineState): string {
  return t`${formatSize(sentBytes)} of ${formatSize(totalBytes)}`;
}
