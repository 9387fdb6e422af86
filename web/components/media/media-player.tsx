import { AudioLines } from 'lucide-react';
import { Ripples } from '../ripples.tsx';
import type { LightboxItem } from './lightbox-item.ts';

type MediaPlayerProps = {
  item: LightboxItem;
  /** Otherwise nothing of it is loaded, and nothing plays. */
  isShown: boolean;
  onFail: () => void;
};

/** Video and sound with the browser's own controls, which everybody knows by keyboard and touch. */
export function MediaPlayer({ item, isShown, onFail }: MediaPlayerProps) {
  const media = {
    src: item.previewUrl,
    'aria-label': item.name,
    controls: true,
    preload: 'metadata',
    'data-own-keys': '',
    onError: onFail,
  } as const;
  if (item.kind === 'audio') {
    return (
      <div className="grid size-full place-items-center p-6">
        <div className="relative flex w-full max-w-lg flex-col items-center gap-10">
          <div className="relative grid size-56 place-items-center">
            <Ripples className="absolute inset-0" motion="arrive" tone="accent" />
            <AudioLines aria-hidden="true" strokeWidth={1.25} className="size-14 text-accent-ink" />
          </div>
          {isShown && <audio {...media} data-own-gestures="" className="w-full" />}
        </div>
      </div>
    );
  }
  if (!isShown) return <Poster url={item.thumbnailUrl} />;
  return <video {...media} poster={item.thumbnailUrl} playsInline className="size-full object-contain" />;
}

function Poster({ url }: { url: string | undefined }) {
  return url === undefined ? null : <img src={url} alt="" className="size-full object-contain" />;
}
