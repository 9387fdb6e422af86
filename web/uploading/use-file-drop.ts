import { useEffect, useState } from 'react';

/** Takes files dropped anywhere in the window. Returns whether some are hovering over it. */
export function useFileDrop(onDrop: (transfer: DataTransfer) => void): boolean {
  const [isHovering, setHovering] = useState(false);
  useEffect(() => {
    const hover = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      setHovering(true);
    };
    const leave = (event: DragEvent) => {
      // Between two elements of the page the next one is told; outside the window there is none.
      if (event.relatedTarget === null) setHovering(false);
    };
    const drop = (event: DragEvent) => {
      setHovering(false);
      if (!carriesFiles(event)) return;
      event.preventDefault();
      onDrop(event.dataTransfer!);
    };
    // The pointer moves only while nothing is dragged; some browsers do not tell that a drag was called off.
    const move = () => setHovering(false);
    const events = {
      dragenter: hover,
      dragover: hover,
      dragleave: leave,
      drop,
      pointermove: move,
    } as const;
    for (const [name, listener] of Object.entries(events))
      window.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(events))
        window.removeEventListener(name, listener as EventListener);
    };
  }, [onDrop]);
  return isHovering;
}

function carriesFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
