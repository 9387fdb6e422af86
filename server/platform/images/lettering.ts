import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Glyph = { advance: number; outline: string };

type Line = { x: number; y: number; sizePx: number };

/** Ems added between letters and to spaces. */
type Spacing = { tracking?: number; wordSpacing?: number };

const UNITS_PER_EM = 1_000;
const ELLIPSIS = '…';
/** Also what joins and colors emoji. */
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Component}/u;

/**
 * Text as outlines of the product's own font, so that pictures look the same on every machine, need no installed
 * fonts, and foreign text never reaches a font engine. The letters are SVG fonts: `heading` is Instrument Sans in
 * weight 600 and width 86 %, `text` in weight 450. They have Latin letters only.
 */
export class Lettering {
  readonly #glyphs = new Map<string, Glyph>();
  /** By pair of letters. */
  readonly #kerning = new Map<string, number>();
  readonly #tracking: number;
  readonly #wordSpacing: number;

  constructor(face: 'heading' | 'text', { tracking = 0, wordSpacing = 0 }: Spacing = {}) {
    this.#tracking = tracking * UNITS_PER_EM;
    this.#wordSpacing = wordSpacing * UNITS_PER_EM;
    const font = readFileSync(join(import.meta.dirname, `letters/${face}.svg`), 'utf8');
    for (const [, code, advance, outline = ''] of font.matchAll(
      /<glyph unicode="&#x(\w+);" horiz-adv-x="(\d+)"(?: d="([^"]*)")?\/>/g,
    ))
      this.#glyphs.set(toCharacter(code!), { advance: Number(advance), outline });
    for (const [, first, seconds, k] of font.matchAll(/<hkern u1="&#x(\w+);" u2="([^"]+)" k="(-?\d+)"\/>/g))
      for (const [, second] of seconds!.matchAll(/&#x(\w+);/g))
        this.#kerning.set(toCharacter(first!) + toCharacter(second!), -Number(k));
  }

  /** On one line and without emoji; undefined if the font lacks a letter of it. */
  findWritable(text: string): string | undefined {
    const isKnown = (character: string) => this.#glyphs.has(character);
    const characters = [...text.normalize('NFC').replace(/\s/g, ' ')];
    const letters = characters.filter((character) => isKnown(character) || !EMOJI.test(character));
    if (!letters.every(isKnown)) return undefined;
    return letters.join('').replace(/ +/g, ' ').trim();
  }

  /** Pixels. */
  measure(text: string, sizePx: number): number {
    return (this.#place(text).width * sizePx) / UNITS_PER_EM;
  }

  /** SVG markup of outlines; contains none of the text itself. `y` is the baseline. */
  draw(text: string, { x, y, sizePx }: Line): string {
    const scale = sizePx / UNITS_PER_EM;
    const outlines = this.#place(text).placed.map(
      ({ at, outline }) => `<path transform="translate(${at} 0)" d="${outline}"/>`,
    );
    return `<g transform="translate(${x} ${y}) scale(${scale} ${-scale})">${outlines.join('')}</g>`;
  }

  /** At most `maxLines` lines; undefined if the text needs more. Words longer than a line are broken. */
  wrap(text: string, { widthPx, sizePx, maxLines }: Box): string[] | undefined {
    const lines = this.#breakLines(text, { widthPx, sizePx });
    return lines.length <= maxLines ? lines : undefined;
  }

  /** Like `wrap`, but ends a text that is too long with an ellipsis. */
  wrapShortened(text: string, box: Box): string[] {
    const lines = this.#breakLines(text, box);
    if (lines.length <= box.maxLines) return lines;
    const kept = lines.slice(0, box.maxLines);
    return [...kept.slice(0, -1), this.#shorten(`${kept.at(-1)!}${ELLIPSIS}`, box)];
  }

  #shorten(text: string, { widthPx, sizePx }: Pick<Box, 'widthPx' | 'sizePx'>): string {
    let shorter = text;
    while (this.measure(shorter, sizePx) > widthPx)
      shorter = `${[...shorter].slice(0, -2).join('').trimEnd()}${ELLIPSIS}`;
    return shorter;
  }

  #breakLines(text: string, { widthPx, sizePx }: Pick<Box, 'widthPx' | 'sizePx'>): string[] {
    const fits = (line: string) => this.measure(line, sizePx) <= widthPx;
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (fits(longer)) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      line = '';
      for (const character of word) {
        if (line !== '' && !fits(line + character)) {
          lines.push(line);
          line = '';
        }
        line += character;
      }
    }
    return [...lines, line];
  }

  #place(text: string): { placed: { at: number; outline: string }[]; width: number } {
    const placed: { at: number; outline: string }[] = [];
    let width = 0;
    let previous = '';
    for (const character of text) {
      const { advance, outline } = this.#glyphs.get(character)!;
      if (previous !== '') width += this.#tracking + (this.#kerning.get(previous + character) ?? 0);
      if (outline !== '') placed.push({ at: width, outline });
      width += advance + (character === ' ' ? this.#wordSpacing : 0);
      previous = character;
    }
    return { placed, width };
  }
}

type Box = { widthPx: number; sizePx: number; maxLines: number };

function toCharacter(code: string): string {
  return String.fromCodePoint(Number.parseInt(code, 16));
}
