import { lateModule } from '../../lib/loading/late-module.ts';

export type LightboxItem = {
  id: string;
  name: string;
  kind: 'image' | 'pdf' | 'video' | 'audio' | 'text';
  /** Image and PDF: a picture. Video and audio: the media, which must support Range. Text: `text/plain`. */
  previewUrl: string;
  /** PDF: answers the number of pages; followed by '/2', the second page. Without it only the first page is shown. */
  pagesUrl?: string | undefined;
  /** Shown while the preview loads. */
  thumbnailUrl?: string | undefined;
  sizeBytes: number;
};

export type LightboxProps = {
  items: LightboxItem[];
  /** null when closed. */
  openId: string | null;
  /** Called with the new id when paging, and with null when closing. */
  onOpenChange: (id: string | null) => void;
  /** Without it there is no download button. */
  onDownload?: ((id: string) => void) | undefined;
};

const useWindow = lateModule(() => import('./lightbox-window.tsx'), { isLikely: true });

/** Full-screen file viewer. Its code is loaded when the page is idle, so that it opens without delay. */
export function Lightbox(props: LightboxProps) {
  return props.items.length > 0 && <LateLightbox {...props} />;
}

function LateLightbox(props: LightboxProps) {
  const loaded = useWindow(props.openId !== null);
  return loaded && <loaded.LightboxWindow {...props} />;
}
