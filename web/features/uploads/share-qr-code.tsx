import { useQuery } from '@tanstack/react-query';

/** Cells of light around the code, without which scanners do not find it. */
const QUIET_CELLS = 3;

/** The link as a QR code; always dark on light, as scanners want it. */
export function ShareQrCode({ link, className }: { link: string; className?: string }) {
  const { data } = useQuery({ queryKey: ['qr-code', link], queryFn: () => drawCode(link) });
  const side = (data?.size ?? 0) + 2 * QUIET_CELLS;
  return (
    <div className={className}>
      {data && (
        <svg
          viewBox={`${-QUIET_CELLS} ${-QUIET_CELLS} ${side} ${side}`}
          role="img"
          aria-label="QR code of the share link"
          shapeRendering="crispEdges"
          className="size-full rounded-md bg-[white]"
        >
          <path d={data.path} fill="black" />
        </svg>
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
