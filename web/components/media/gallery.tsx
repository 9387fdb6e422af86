import type { ReactNode } from 'react';
import { FileIcon } from '../file-icon.tsx';
import { GalleryWindow } from './gallery-window.tsx';
import { Picture } from './picture.tsx';

export type GalleryItem = {
  id: string;
  name: string;
  mimeType?: string | null | undefined;
  /** undefined: the kind's icon stands in its place. */
  thumbnailUrl?: string | undefined;
  /** Beside the name, for instance the size. */
  details: string;
};

type GalleryProps = {
  /** Names the list for assistive technology. */
  label: string;
  items: GalleryItem[];
  /** A tile was chosen. */
  onOpen: (id: string) => void;
  /** In the tile's corner, above it: a tick box. */
  renderCorner?: ((item: GalleryItem) => ReactNode) | undefined;
};

/** Larger ones are drawn only in and around the window. */
const MOST_DRAWN_TILES = 200;

/** Files as a grid of pictures with their names. */
export function Gallery({ label, items, onOpen, renderCorner }: GalleryProps) {
  const renderTile = (item: GalleryItem) => (
    <Tile item={item} onOpen={onOpen} corner={renderCorner?.(item)} />
  );
  if (items.length > MOST_DRAWN_TILES) return <GalleryWindow {...{ label, items, renderTile }} />;
  return (
    <ul
      aria-label={label}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(9.5rem,calc(50%-0.5rem)),1fr))] gap-x-4 gap-y-5 pt-4"
    >
      {items.map((item) => (
        <li key={item.id} className="min-w-0">
          {renderTile(item)}
        </li>
      ))}
    </ul>
  );
}

type TileProps = { item: GalleryItem; onOpen: (id: string) => void; corner: ReactNode };

function Tile({ item, onOpen, corner }: TileProps) {
  return (
    <div className="relative">
      <button
        type="button"
        onClick={() => onOpen(item.id)}
        className="group block w-full rounded-sm text-left"
        title={item.name}
      >
        <span className="relative grid aspect-square w-full place-items-center overflow-hidden rounded-sm border border-line bg-surface transition-colors duration-(--quick) group-hover:border-edge">
          <Picture
            src={item.thumbnailUrl}
            className="absolute inset-0 size-full object-cover transition-[scale] duration-(--calm) ease-settle group-hover:scale-[1.03]"
          >
            <FileIcon fileName={item.name} mimeType={item.mimeType ?? null} className="[&]:size-10" />
          </Picture>
        </span>
        <span className="mt-2 block truncate text-sm">{item.name}</span>
        <span className="tabular block truncate text-xs text-ink-faint">{item.details}</span>
      </button>
      {corner && <span className="absolute top-2 left-2 grid">{corner}</span>}
    </div>
  );
}
