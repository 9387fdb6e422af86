import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ImageUp, Trash2, X } from 'lucide-react';
import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from 'react';
import { BACKGROUND_MAX_BYTES } from '../../../../contracts/accounts/backgrounds.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { focusSection, SettingsSection } from '../settings-section.tsx';
import { BackgroundPreview } from './background-preview.tsx';
import { useBackground } from './use-background.ts';

/** Offered by the file picker. Phones convert their own formats to one of these. */
const PICTURES = 'image/jpeg,image/png,image/webp,image/avif,image/gif';

const maxSize = formatSize(BACKGROUND_MAX_BYTES);

export function BackgroundSection() {
  const background = useBackground();
  const { url, error, refetch } = background;
  return (
    <SettingsSection
      id="background"
      title={t`Download background`}
      description={t`Your own picture behind everything you share. A dark overlay keeps the text readable.`}
    >
      {url !== undefined && <Background {...background} url={url} />}
      {url === undefined && error && (
        <LoadFailure
          message={t`Your background couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {url === undefined && !error && (
        <SkeletonGroup label={t`Loading your background`}>
          <Skeleton className="aspect-video rounded-lg" />
        </SkeletonGroup>
      )}
    </SettingsSection>
  );
}

type BackgroundProps = Pick<
  ReturnType<typeof useBackground>,
  'sending' | 'send' | 'remove' | 'isRemoving'
> & {
  url: string | null;
};

function Background({ url, sending, send, remove, isRemoving }: BackgroundProps) {
  const input = useRef<HTMLInputElement>(null);
  const { isHovering, dropHandlers } = usePictureDrop(send, { isEnabled: !sending });
  useFocusAfterRemoval(url);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file) void send(file);
    // Otherwise choosing the same picture again would not fire a change event.
    target.value = '';
  };
  return (
    <div {...dropHandlers}>
      <div
        className={classNames(
          'rounded-lg outline-2 outline-offset-4 transition-[outline-color] duration-(--quick)',
          isHovering ? 'outline-accent-ink outline-dashed' : 'outline-transparent',
        )}
      >
        <BackgroundPreview url={url} sending={sending} />
      </div>
      <div className="mt-5 flex flex-wrap items-center gap-3">
        {/* One button for both, so that it keeps the focus. */}
        <Button
          variant="secondary"
          icon={sending ? <X aria-hidden="true" /> : <ImageUp aria-hidden="true" />}
          onClick={sending ? sending.cancel : () => input.current?.click()}
        >
          {sending ? t`Cancel` : url ? t`Replace` : t`Choose Picture`}
        </Button>
        {url && !sending && <BackgroundRemoval remove={remove} isRemoving={isRemoving} />}
        <p className="text-sm text-ink-faint">
          <Trans>Or drop it here. Up to {maxSize}. Wide pictures look best.</Trans>
        </p>
      </div>
      <input
        ref={input}
        type="file"
        accept={PICTURES}
        hidden
        aria-label={t`Background picture`}
        data-testid="background-input"
        onChange={choose}
      />
    </div>
  );
}

/** The "Remove" button disappears with the picture. */
function useFocusAfterRemoval(url: string | null): void {
  const last = useRef(url);
  useEffect(() => {
    if (last.current !== null && url === null) focusSection('background');
    last.current = url;
  }, [url]);
}

type BackgroundRemovalProps = {
  /** Resolves on failure too. */
  remove: () => Promise<unknown>;
  isRemoving: boolean;
};

function BackgroundRemoval({ remove, isRemoving }: BackgroundRemovalProps) {
  const [isOpen, setOpen] = useState(false);
  const confirm = async () => {
    await remove();
    setOpen(false);
  };
  return (
    <>
      <Button variant="ghost" icon={<Trash2 aria-hidden="true" />} onClick={() => setOpen(true)}>
        <Trans>Remove</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Remove the background?`}
        description={t`Your download pages go back to the default look, and the picture is deleted from Sendwell.`}
        confirmLabel={t`Remove background`}
        isDestructive
        isBusy={isRemoving}
        onConfirm={() => void confirm()}
      />
    </>
  );
}

/** Accepts a file dropped on an element; of several, the first. */
function usePictureDrop(onDrop: (file: File) => unknown, { isEnabled }: { isEnabled: boolean }) {
  const [isHovering, setHovering] = useState(false);
  const hover = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = isEnabled ? 'copy' : 'none';
    setHovering(isEnabled);
  };
  const leave = ({ currentTarget, relatedTarget }: DragEvent) => {
    if (!currentTarget.contains(relatedTarget as Node | null)) setHovering(false);
  };
  const drop = (event: DragEvent) => {
    setHovering(false);
    const [file] = event.dataTransfer.files;
    if (!file) return;
    // Otherwise the browser would open the file.
    event.preventDefault();
    if (isEnabled) void onDrop(file);
  };
  return {
    isHovering,
    dropHandlers: { onDragEnter: hover, onDragOver: hover, onDragLeave: leave, onDrop: drop },
  };
}
