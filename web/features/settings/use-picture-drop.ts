import { type DragEvent, useState } from 'react';

/** Takes one file dropped on an element. Of several the first counts. */
export function usePictureDrop(onDrop: (file: File) => unknown, { isEnabled }: { isEnabled: boolean }) {
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
    // Without this the browser would leave the page and show the file.
    event.preventDefault();
    if (isEnabled) void onDrop(file);
  };
  return {
    isHovering,
    dropHandlers: { onDragEnter: hover, onDragOver: hover, onDragLeave: leave, onDrop: drop },
  };
}
