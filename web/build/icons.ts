import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { Connect, HtmlTagDescriptor, Plugin } from 'vite';

const SOURCE = new URL('../public/favicon.svg', import.meta.url);
const ROUND_CORNERS = 'rx="9"';

type Icon = { size: number; isFullBleed: boolean };

/** iOS and launchers cut the corners of full-bleed icons themselves. The mark lies within their safe zone. */
const ICONS: Record<string, Icon> = {
  'icon-192.png': { size: 192, isFullBleed: false },
  'icon-512.png': { size: 512, isFullBleed: false },
  'icon-maskable-512.png': { size: 512, isFullBleed: true },
  'apple-touch-icon.png': { size: 180, isFullBleed: true },
};

const TAGS: HtmlTagDescriptor[] = [
  { tag: 'link', attrs: { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' }, injectTo: 'head' },
  { tag: 'link', attrs: { rel: 'manifest', href: '/site.webmanifest' }, injectTo: 'head' },
];

/** Draws the icons of the manifest and of iOS from favicon.svg, and links them in every document. */
export function icons(): Plugin {
  return {
    name: 'icons',
    transformIndexHtml: () => TAGS,
    async generateBundle() {
      for (const [fileName, icon] of Object.entries(ICONS))
        this.emitFile({ type: 'asset', fileName, source: await drawIcon(icon) });
    },
    configureServer: ({ middlewares }) => void middlewares.use(serveIcon),
  };
}

const serveIcon: Connect.NextHandleFunction = async (request, response, next) => {
  const icon = ICONS[request.url?.slice(1) ?? ''];
  if (!icon) return next();
  response.setHeader('content-type', 'image/png').end(await drawIcon(icon));
};

async function drawIcon({ size, isFullBleed }: Icon): Promise<Buffer> {
  const mark = await readFile(SOURCE, 'utf8');
  if (!mark.includes(ROUND_CORNERS)) throw new Error(`favicon.svg has no ${ROUND_CORNERS}`);
  const svg = isFullBleed ? mark.replace(ROUND_CORNERS, '') : mark;
  return sharp(Buffer.from(svg), { density: 72 * (size / 32) })
    .resize(size, size)
    .png({ compressionLevel: 9 })
    .toBuffer();
}
