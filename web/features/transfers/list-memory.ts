import type { VirtualItem } from '@tanstack/react-virtual';

/** How a list was left: where it stood, what was measured, and which card had the focus. */
export type ListPlace = {
  /** Pixels from the top of the page. */
  scrollY: number;
  measurements: VirtualItem[];
  focusedId: string | undefined;
};

const places = new Map<string, ListPlace>();

/** Keyed by the history entry, so that every step back finds its own place. */
export function rememberPlace(historyKey: string, place: ListPlace): void {
  places.set(historyKey, place);
}

export function recallPlace(historyKey: string): ListPlace | undefined {
  return places.get(historyKey);
}
