/** Only `html` creates it. */
export type Html = { readonly markup: string };

type Value = string | number | Html | readonly Html[];

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes interpolated values for text and quoted attributes, unless they are markup. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { markup: strings.reduce((markup, part, index) => markup + toMarkup(values[index - 1]!) + part) };
}

export const NO_HTML: Html = { markup: '' };

function toMarkup(value: Value): string {
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
  if (typeof value === 'number') return String(value);
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}
