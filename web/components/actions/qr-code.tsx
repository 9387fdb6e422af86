import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '../feedback/skeleton.tsx';

/** Width of the light margin that scanners need. */
const QUIET_CELLS = 3;

type QrCodeProps = {
  text: string;
  /** The accessible name ("QR code of the share link"). */
  label: string;
  className?: string;
};

/** Always dark on light, as scanners expect. The code that draws it is loaded on first use. */
export function QrCode({ text, label, className = 'size-28 shrink-0' }: QrCodeProps) {
  const { data } = useQuery({ queryKey: ['qr-code', text], queryFn: () => drawCode(text) });
  const side = (data?.size ?? 0) + 2 * QUIET_CELLS;
  return (
    <div className={className}>
      {data ? (
        <svg
          viewBox={`${-QUIET_CELLS} ${-QUIET_CELLS} ${side} ${side}`}
          role="img"
          aria-label={label}
          shapeRendering="crispEdges"
          className="size-full rounded-md bg-[white]"
        >
          <path d={data.path} fill="black" />
        </svg>
      ) : (
        <Skeleton className="size-full" />
      )}
    </div>
  );
}

/** One unit square per dark cell. */
async function drawCode(text: string): Promise<{ size: number; path: string }> {
  const { create } = await import('qrcode');
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const cells = Array.from(data, (isDark, index) =>
    isDark ? `M${index % size} ${Math.floor(index / size)}h1v1h-1z` : '',
  );
  return { size, path: cells.join('') };
}
