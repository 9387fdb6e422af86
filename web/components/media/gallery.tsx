import { type ReactNode, useId } from 'react';
import { lateModule } from '../../lib/loading/late-module.ts';
import { FileIcon } from '../data/file-icon.tsx';
import { FileNameText } from '../data/file-name-text.tsx';
import { Picture } from './thumbnail.tsx';

export type GalleryItem = {
  id: string;
  name: string;
  mimeType?: string | null | undefined;
  /** Without one, an icon for the file type is shown. */
  thumbnailUrl?: string | undefined;
  /** Shown below the name, for example the size. */
  details: string;
};

type GalleryProps = {
  /** Accessible name of the list. */
  label: string;
  items: GalleryItem[];
  onOpen: (id: string) => void;
  /** Accessible name of the button that opens an item. */
  nameAction: (item: GalleryItem) => string;
  /** Drawn over the corner of each tile, for example a checkbox. */
  renderCorner?: ((item: GalleryItem) => ReactNode) | undefined;
};

/** Larger galleries are virtualized. */
const MAX_UNVIRTUALIZED_TILES = 200;
/** Drawn until the code for large galleries is there. */
const FIRST_TILES = 24;

const useVirtual = lateModule(() => import('./virtual-gallery.tsx'));

/** Files as a grid of thumbnails with names. */
export function Gallery({ label, items, onOpen, nameAction, renderCorner }: GalleryProps) {
  const renderTile = (item: GalleryItem) => (
    <Tile item={item} onOpen={onOpen} action={nameAction(item)} corner={renderCorner?.(item)} />
  );
  const isLarge = items.length > MAX_UNVIRTUALIZED_TILES;
  const virtual = useVirtual(isLarge);
  if (isLarge && virtual) return <virtual.VirtualGallery {...{ label, items, renderTile }} />;
  const shown = isLarge ? items.slice(0, FIRST_TILES) : items;
  return (
    <ul
      aria-label={label}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(9.5rem,calc(50%-0.5rem)),1fr))] gap-x-4 gap-y-5 pt-4"
    >
      {shown.map((item) => (
        <li key={item.id} className="min-w-0">
          {renderTile(item)}
        </li>
      ))}
    </ul>
  );
}

type TileProps = { item: GalleryItem; onOpen: (id: string) => void; action: string; corner: ReactNode };

function Tile({ item, onOpen, action, corner }: TileProps) {
  const describedBy = useId();
  return (
    <div className="relative">
      <button
        type="button"
        aria-label={action}
        aria-describedby={describedBy}
        onClick={() => onOpen(item.id)}
        className="group block w-full rounded-sm text-left"
      >
        <span className="relative grid aspect-square w-full place-items-center overflow-hidden rounded-sm border border-line bg-surface transition-colors duration-(--quick) group-hover:border-edge">
          <Picture
            src={item.thumbnailUrl}
            className="absolute inset-0 size-full object-cover transition-[scale] duration-(--calm) ease-settle group-hover:scale-[1.03]"
          >
            <FileIcon fileName={item.name} mimeType={item.mimeType ?? null} className="[&]:size-10" />
          </Picture>
        </span>
        <FileNameText name={item.name} className="mt-2 text-sm" />
      </button>
      <p id={describedBy} className="tabular truncate text-xs text-ink-faint">
        {item.details}
      </p>
      {corner && <span className="absolute top-2 left-2 grid">{corner}</span>}
    </div>
  );
}
