import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { Connect, HtmlTagDescriptor, Plugin } from 'vite';

const SOURCE = new URL('../public/favicon.svg', import.meta.url);
/** Smaller on its ground, because launchers may cut off a fifth of it. */
const FULL_BLEED = {
  box: ['viewBox="0 0 32 32"', 'viewBox="-3 -3 38 38"'],
  ground: ['<rect width="32" height="32" rx="9"', '<rect x="-3" y="-3" width="38" height="38"'],
} as const;

type Icon = { size: number; isFullBleed: boolean };

/** iOS and launchers cut the corners of full-bleed icons themselves. */
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
  let svg = await readFile(SOURCE, 'utf8');
  for (const [from, to] of isFullBleed ? Object.values(FULL_BLEED) : []) {
    if (!svg.includes(from)) throw new Error(`favicon.svg has no ${from}`);
    svg = svg.replace(from, to);
  }
  return sharp(Buffer.from(svg), { density: (72 * size) / 32 })
    .resize(size, size)
    .png({ compressionLevel: 9 })
    .toBuffer();
}
