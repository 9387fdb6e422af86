import { toPlainText } from '../plain-text.ts';

/** From web/styles/tokens.css, without transparency, which mail programs don't support. */
const LIGHT = {
  paper: '#f4f3ec',
  card: '#fffffc',
  line: '#dcdfd4',
  ink: '#141c17',
  soft: '#48544c',
  wash: '#eef2e5',
  accent: '#1d6b3f',
  onAccent: '#ffffff',
  accentInk: '#1a6239',
  well: '#0e1c14',
  ring: '#33503c',
  ringFar: '#1c3325',
};

const DARK: typeof LIGHT = {
  paper: '#0a0f0c',
  card: '#171e1a',
  line: '#323b35',
  ink: '#f3f1e8',
  soft: '#b4beb6',
  wash: '#202a1d',
  accent: '#bdf24e',
  onAccent: '#141d06',
  accentInk: '#bdf24e',
  well: '#0a0f0c',
  ring: '#3b4a3c',
  ringFar: '#202a22',
};

type Colours = typeof LIGHT;

/** The name is also the class that dark mode overrides. */
const COATS = {
  paper: ({ paper }: Colours) => `background-color:${paper}`,
  card: ({ card, line }: Colours) => `background-color:${card};border-color:${line}`,
  line: ({ line }: Colours) => `border-color:${line}`,
  ink: ({ ink }: Colours) => `color:${ink}`,
  soft: ({ soft }: Colours) => `color:${soft}`,
  wash: ({ wash }: Colours) => `background-color:${wash}`,
  rule: ({ accentInk }: Colours) => `border-color:${accentInk}`,
  accent: ({ accent, onAccent }: Colours) => `background-color:${accent};color:${onAccent}`,
  'accent-ink': ({ accentInk }: Colours) => `color:${accentInk}`,
  well: ({ well }: Colours) => `background-color:${well}`,
  ring: ({ ring }: Colours) => `border-color:${ring}`,
  'ring-far': ({ ringFar }: Colours) => `border-color:${ringFar}`,
};

export type Coat = keyof typeof COATS;

/**
 * Mail programs without dark mode use the inline colors. `data-ogsc` marks dark mode in Outlook on the web.
 */
export function darkStyles(): string {
  const rules = (prefix: string) =>
    Object.entries(COATS)
      .map(([name, coat]) => `${prefix}.${name}{${coat(DARK).replaceAll(';', ' !important;')} !important}`)
      .join('\n');
  return `@media (prefers-color-scheme: dark) {\n${rules('')}\n}\n${rules('[data-ogsc] ')}`;
}

type Look = {
  coats?: Coat[];
  css?: string;
  className?: string;
  /** Escaped by the caller. */
  attributes?: string;
};

/** `inner` is markup: values must go through `escapeHtml` first. */
export function element(
  name: string,
  { coats = [], css, className, attributes }: Look,
  inner: string,
): string {
  const classes = [...coats, className].filter(Boolean).join(' ');
  // Colors come last, because `border` in the declarations would reset its color.
  const styles = [css, ...coats.map((coat) => COATS[coat](LIGHT))].filter(Boolean).join(';');
  const parts = [name, classes && `class="${classes}"`, attributes, styles && `style="${styles}"`];
  return `<${parts.filter(Boolean).join(' ')}>${inner}</${name}>`;
}

export function layoutTable(
  rows: string,
  { css = '', attributes = 'width="100%"', ...look }: Look = {},
): string {
  return element(
    'table',
    {
      ...look,
      css: `border-collapse:separate;border-spacing:0;${css}`,
      attributes: `role="presentation" ${attributes} cellpadding="0" cellspacing="0" border="0"`,
    },
    rows,
  );
}

export function row(...cells: string[]): string {
  return `<tr>${cells.join('')}</tr>`;
}

export const FONT =
  "font-family:'Instrument Sans','Segoe UI',ui-sans-serif,system-ui,-apple-system,Roboto,Helvetica,Arial,sans-serif";

/** Breaks long words in user text. */
export const WRAP = 'overflow-wrap:anywhere;word-break:break-word';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return toPlainText(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

export function escapeLines(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}
