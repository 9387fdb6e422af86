import { Lettering } from '../../../platform/images/lettering.ts';

/** What messengers and social networks show instead of a link. */
export type LinkCard = {
  title: string;
  detail: string;
  /** Undefined if the title names the sender. */
  sender: string | undefined;
};

/** The size that all messengers and networks show uncut. */
export const CARD_WIDTH = 1_200;
export const CARD_HEIGHT = 630;

/** The dark theme of the pages (web/styles/tokens.css). */
const COLORS = {
  canvas: '#0a0f0c',
  ink: '#f3f1e8',
  inkSoft: '#aeb8b0',
  ring: '#e9f0e2',
  accent: '#bdf24e',
  onAccent: '#141d06',
};

const MARGIN = 80;
const TEXT_WIDTH = 690;
const LINE_HEIGHT = 1.06;
/** The first that fits is used; the last one shortens the title. */
const TITLE_SIZES = [
  { sizePx: 100, maxLines: 2 },
  { sizePx: 80, maxLines: 3 },
  { sizePx: 64, maxLines: 3 },
];
const CAPITAL_HEIGHT = 0.72;
const DETAIL_PX = 36;
const DETAIL_ADVANCE = 52;
/** From the baseline of the title to that of the details. */
const DETAIL_GAP = 82;
/** Below the middle, because the logo is at the top. */
const TEXT_MIDDLE = 345;
const WELL = { x: 950, y: 330, radius: 104 };
const RING_RADII = [150, 206, 270, 342, 424, 516, 618];

let faces: { heading: Lettering; text: Lettering } | undefined;

/** SVG in the look of the download page. Text in scripts that the font lacks is left out. */
export function renderCardPicture(card: LinkCard): string {
  faces ??= {
    heading: new Lettering('heading', { tracking: -0.016, wordSpacing: 0.05 }),
    text: new Lettering('text', { wordSpacing: 0.06 }),
  };
  const { heading, text } = faces;
  const { lines, sizePx } = layOutTitle(heading, heading.findWritable(card.title) || 'Files for you');
  const details = layOutDetails(text, card);
  const advance = sizePx * LINE_HEIGHT;
  const titleHeight = sizePx * CAPITAL_HEIGHT + advance * (lines.length - 1);
  const height = titleHeight + DETAIL_GAP + DETAIL_ADVANCE * (details.length - 1);
  const top = TEXT_MIDDLE - height / 2;
  const titleY = top + sizePx * CAPITAL_HEIGHT;
  const detailY = top + titleHeight + DETAIL_GAP;
  const titleMarkup = lines.map((line, index) =>
    heading.draw(line, { x: MARGIN, y: titleY + advance * index, sizePx }),
  );
  const detailMarkup = details.map((line, index) =>
    text.draw(line, { x: MARGIN, y: detailY + DETAIL_ADVANCE * index, sizePx: DETAIL_PX }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}" fill="none">
<rect width="${CARD_WIDTH}" height="${CARD_HEIGHT}" fill="${COLORS.canvas}"/>
${renderWell()}
${renderLogo(heading)}
<g fill="${COLORS.ink}">${titleMarkup.join('')}</g>
<g fill="${COLORS.inkSoft}">${detailMarkup.join('')}</g>
</svg>`;
}

function layOutDetails(text: Lettering, { detail, sender }: LinkCard): string[] {
  const box = { widthPx: TEXT_WIDTH, sizePx: DETAIL_PX };
  const name = sender === undefined ? undefined : text.findWritable(sender);
  const details = text.wrapShortened(text.findWritable(detail)!, { ...box, maxLines: name ? 1 : 2 });
  return name ? [...details, ...text.wrapShortened(`From ${name}`, { ...box, maxLines: 1 })] : details;
}

function layOutTitle(heading: Lettering, title: string): { lines: string[]; sizePx: number } {
  for (const { sizePx, maxLines } of TITLE_SIZES) {
    const lines = heading.wrap(title, { widthPx: TEXT_WIDTH, sizePx, maxLines });
    if (lines) return { lines, sizePx };
  }
  const smallest = TITLE_SIZES.at(-1)!;
  return {
    lines: heading.wrapShortened(title, { widthPx: TEXT_WIDTH, ...smallest }),
    sizePx: smallest.sizePx,
  };
}

/** The mark of web/public/favicon.svg and the name. */
function renderLogo(heading: Lettering): string {
  return `<g transform="translate(${MARGIN - 6} 58) scale(1.9)">
<path stroke="${COLORS.ink}" stroke-width="2.4" stroke-linecap="round" d="M10 15.4c-3.5 .9-5.6 2.6-5.6 4.8 0 3.5 5.2 6.2 11.6 6.2s11.6-2.7 11.6-6.2c0-2.2-2.1-3.9-5.6-4.8"/>
<path fill="${COLORS.accent}" d="M16 4.2c3.2 4.7 5.1 8.4 5.1 11.6a5.1 5.1 0 0 1-10.2 0c0-3.2 1.9-6.9 5.1-11.6Z"/>
</g><g fill="${COLORS.ink}">${heading.draw('Sendwell', { x: MARGIN + 66, y: 105, sizePx: 42 })}</g>`;
}

/** The download button of the page, with the rings around it. */
function renderWell(): string {
  const { x, y, radius } = WELL;
  const rings = RING_RADII.map((each) => {
    const opacity = 0.34 * (1 - 0.85 * (each / RING_RADII.at(-1)!) ** 2);
    return `<circle cx="${x}" cy="${y}" r="${each}" stroke="${COLORS.ring}" stroke-opacity="${opacity.toFixed(3)}" stroke-width="1.5"/>`;
  });
  return `${rings.join('')}
<circle cx="${x}" cy="${y}" r="${radius}" fill="${COLORS.accent}"/>
<path transform="translate(${x - 42} ${y - 42}) scale(3.5)" stroke="${COLORS.onAccent}" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round" d="M12 5v14m7-7-7 7-7-7"/>`;
}
