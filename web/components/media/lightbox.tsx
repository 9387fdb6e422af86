import { useQuery } from '@tanstack/react-query';
import type { LightboxItem } from './lightbox-item.ts';

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
