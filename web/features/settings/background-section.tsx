import { ImageUp, X } from 'lucide-react';
import { type ChangeEvent, useEffect, useRef } from 'react';
import { BACKGROUND_MAX_BYTES } from '../../../contracts/accounts/backgrounds.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { classNames } from '../../lib/class-names.ts';
import { BackgroundPreview } from './background-preview.tsx';
import { BackgroundRemoval } from './background-removal.tsx';
import { LoadFailure } from './load-failure.tsx';
import { focusSection, SettingsSection } from './settings-section.tsx';
import { useBackground } from './use-background.ts';
import { usePictureDrop } from './use-picture-drop.ts';

/** What the picker offers; phones turn their own formats into one of these. */
const PICTURES = 'image/jpeg,image/png,image/webp,image/avif,image/gif';

/** The background of the user's download pages (premium only). */
export function BackgroundSection() {
  const background = useBackground();
  const { url, error, refetch } = background;
  return (
    <SettingsSection
      id="background"
      description="A picture of yours behind everything you share. A dark veil keeps the words on it readable."
    >
      {url !== undefined && <Background {...background} url={url} />}
      {url === undefined && error && (
        <LoadFailure what="Your background" error={error} onRetry={() => void refetch()} />
      )}
      {url === undefined && !error && (
        <SkeletonGroup label="Loading your background">
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
    // Otherwise choosing the same picture again would be no change.
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
        {/* One button for both, so that the focus stays where it is. */}
        <Button
          variant="secondary"
          icon={sending ? <X aria-hidden="true" /> : <ImageUp aria-hidden="true" />}
          onClick={sending ? sending.cancel : () => input.current?.click()}
        >
          {sending ? 'Cancel' : url ? 'Replace' : 'Choose Picture'}
        </Button>
        {url && !sending && <BackgroundRemoval remove={remove} isRemoving={isRemoving} />}
        <p className="text-sm text-ink-faint">
          Or drop it here. At most {formatSize(BACKGROUND_MAX_BYTES)}; wide pictures look best.
        </p>
      </div>
      <input
        ref={input}
        type="file"
        accept={PICTURES}
        hidden
        aria-label="Background picture"
        data-testid="background-input"
        onChange={choose}
      />
    </div>
  );
}

/** The button that asked for the removal goes with the picture. */
function useFocusAfterRemoval(url: string | null): void {
  const last = useRef(url);
  useEffect(() => {
    if (last.current !== null && url === null) focusSection('background');
    last.current = url;
  }, [url]);
}
