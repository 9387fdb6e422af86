import { useQuery } from '@tanstack/react-query';

export type LightboxProps = {
  /** In the order in which one pages through them. */
  items: LightboxItem[];
  /** The one that shows; null: closed. */
  openId: string | null;
  /** Paging tells the new id, closing null. */
  onOpenChange: (id: string | null) => void;
  /** Takes the place of a plain link to `downloadUrl`. */
  onDownload?: ((id: string) => void) | undefined;
};

/**
 * Looks at files without downloading them: the whole window, one after the other. Its code comes when there is
 * something to look at, and is there when it is asked for.
 */
export function Lightbox(props: LightboxProps) {
  const { data: LightboxWindow } = useQuery({
    queryKey: ['lightbox-window'],
    queryFn: async () => (await import('./lightbox-window.tsx')).LightboxWindow,
    enabled: props.items.length > 0,
  });
  return LightboxWindow && <LightboxWindow {...props} />;
}

/** How something is looked at. */
type MediaKind = 'image' | 'pdf' | 'video' | 'audio' | 'text';

/** One thing that the lightbox shows. */
export type LightboxItem = {
  id: string;
  name: string;
  kind: MediaKind;
  /** Images and PDFs: a picture; video and audio: the media itself, with Range; text: `text/plain`. */
  previewUrl: string;
  /** A small picture, which stands in while the large one loads. */
  thumbnailUrl?: string | undefined;
  sizeBytes: number;
  /** Where the original is; absent while it may not be downloaded. Not used when `onDownload` is given. */
  downloadUrl?: string | undefined;
};
