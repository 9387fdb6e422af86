import { carriesFiles } from './dropped-items.ts';

/** Keeps the browser from opening files that are dropped where nothing accepts them. */
export function refuseStrayDrops(): () => void {
  const refuse = (event: DragEvent) => {
    if (!carriesFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  };
  // On the window, after the listeners of pages that accept files.
  window.addEventListener('dragover', refuse);
  window.addEventListener('drop', refuse);
  return () => {
    window.removeEventListener('dragover', refuse);
    window.removeEventListener('drop', refuse);
  };
}
