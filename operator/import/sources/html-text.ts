/**
 * The text behind what PHP's htmlentities() and nl2br() made of it, which ProjectSend stores. Line breaks first: those
 * that people typed as tags are escaped.
 */
export function decodeHtml(text: string): string {
  return text
    .replace(/<br\s*\/?>(\r?\n)?/gi, '\n')
    .replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,9});/gi, (whole, name: string) => {
      if (name.startsWith('#')) return decodeNumber(name.slice(1)) ?? whole;
      return ENTITIES[name] ?? whole;
    });
}

function decodeNumber(digits: string): string | undefined {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    ? String.fromCodePoint(code)
    : undefined;
}

/** From U+00A0 on, in the order of their codes (HTML 4.01, Latin-1). */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';

/** From U+0391 and U+03B1 on. There is no final sigma among the capitals. */
const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi ' +
  'chi psi omega';

const OTHERS: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  OElig: 'Œ',
  oelig: 'œ',
  Scaron: 'Š',
  scaron: 'š',
  Yuml: 'Ÿ',
  fnof: 'ƒ',
  circ: 'ˆ',
  tilde: '˜',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  dagger: '†',
  Dagger: '‡',
  bull: '•',
  hellip: '…',
  permil: '‰',
  lsaquo: '‹',
  rsaquo: '›',
  euro: '€',
  trade: '™',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
};

const ENTITIES: Record<string, string> = {
  ...OTHERS,
  ...codesFrom(0xa0, LATIN_1.split(' ')),
  ...codesFrom(0x3b1, GREEK.split(' ')),
  ...codesFrom(
    0x391,
    GREEK.split(' ').map((name) => name[0]!.toUpperCase() + name.slice(1)),
  ),
};

function codesFrom(first: number, names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, String.fromCodePoint(first + index)]));
}
