/** Pixels on each side of a downloaded picture: enough for a poster, and sharp on any screen. */
const PICTURE_PIXELS = 1024;

/** The QR code on the page as a self-contained SVG. */
export function toSvgFile(code: SVGSVGElement): Blob {
  const { x, y, width, height } = code.viewBox.baseVal;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${width} ${height}" shape-rendering="crispEdges"><rect x="${x}" y="${y}" width="${width}" height="${height}" fill="white"/><path d="${pathOf(code)}" fill="black"/></svg>\n`;
  return new Blob([text], { type: 'image/svg+xml' });
}

/** As PNG. Cells are whole pixels wide, so that edges stay sharp. */
export async function toPngFile(code: SVGSVGElement): Promise<Blob> {
  const { x, y, width } = code.viewBox.baseVal;
  const scale = Math.ceil(PICTURE_PIXELS / width);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = width * scale;
  const pen = canvas.getContext('2d')!;
  pen.fillStyle = 'white';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.setTransform(scale, 0, 0, scale, -x * scale, -y * scale);
  pen.fillStyle = 'black';
  pen.fill(new Path2D(pathOf(code)));
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be drawn.')))),
  );
}

function pathOf(code: SVGSVGElement): string {
  return code.querySelector('path')?.getAttribute('d') ?? '';
}
