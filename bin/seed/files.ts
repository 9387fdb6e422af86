import sharp from 'sharp';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import type { PathBytes } from '../../testing/visitors/visitor-uploads.ts';

/** A photo-like landscape; `seed` determines colors and hills. */
export async function makePhoto(path: string, seed: number): Promise<PathBytes> {
  const hue = (seed * 47) % 360;
  const hills = [0, 1, 2, 3].map((layer) => {
    const top = 520 + layer * 110;
    const points = Array.from({ length: 13 }, (_, x) => {
      const height = Math.sin(x * (0.6 + layer * 0.23) + seed * 1.7 + layer) * (90 - layer * 14);
      return `${x * 134},${Math.round(top + height)}`;
    });
    return `<polygon fill="hsl(${hue + layer * 14} ${38 + layer * 6}% ${46 - layer * 10}%)" points="0,1067 ${points.join(' ')} 1608,1067"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1067">
<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${hue + 180} 55% 42%)"/>
<stop offset="1" stop-color="hsl(${hue + 30} 85% 84%)"/></linearGradient></defs>
<rect width="1600" height="1067" fill="url(#sky)"/>
<circle cx="${300 + ((seed * 211) % 1000)}" cy="${220 + ((seed * 67) % 180)}" r="84" fill="hsl(${hue + 40} 95% 92%)"/>
${hills.join('')}</svg>`;
  return { path, bytes: await sharp(Buffer.from(svg)).jpeg({ quality: 84 }).toBuffer() };
}

/** A document of one page per list of lines; the first line is its heading. */
export function makePdf(path: string, pages: string[][]): PathBytes {
  const contents = pages.map(([heading = '', ...lines]) => {
    const body = lines.map((line) => `0 -20 Td (${quote(line)}) Tj`).join(' ');
    return `BT /F1 24 Tf 72 760 Td (${quote(heading)}) Tj /F1 12 Tf 0 -20 Td ${body} ET`;
  });
  const pageIds = contents.map((_, index) => 4 + index * 2);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${pageIds[index]! + 1} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return { path, bytes: Buffer.from(text, 'latin1') };
}

export function makeText(path: string, lines: string[]): PathBytes {
  return { path, bytes: Buffer.from(`${lines.join('\n')}\n`) };
}

/** Bytes that no program can open, for formats without a preview. */
export function makeBinary(path: string, sizeBytes: number): PathBytes {
  return { path, bytes: makeBytes(sizeBytes, path) };
}

function quote(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}
