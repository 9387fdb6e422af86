/** Characters that steer instead of saying something: controls, and those that turn the reading direction. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const LINE_BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** Text as it may stand in a mail: lines stay lines, nothing in it steers how the rest is read. */
export function toPlainText(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_BREAKS, '\n')
    .replace(STEERING, (character) => (character === '\n' || character === '\t' ? character : ''));
}

/** The same on one line, at most `maxLength` characters as people count them. */
export function toOneLine(text: string, maxLength: number): string {
  const line = toPlainText(text).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= maxLength
    ? line
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
}

const SUBJECT_LENGTH = 140;

/**
 * A subject is one line of bounded length, whatever people have called themselves and their things. An encoded
 * word (RFC 2047) of theirs is shown as it is written: decoded by the reader's program it could say anything.
 */
export function toSubject(text: string): string {
  return toOneLine(text.replaceAll('=?', '= ?'), SUBJECT_LENGTH);
}

const REMOVED = '[link removed]';

/** Addresses that mail programs link whatever follows: `https://…`, `mailto:…`. */
const WITH_SCHEME = /[a-z][a-z0-9+.-]{0,30}:\/\/\S*/giu;
const WITH_SHORT_SCHEME =
  /(?<![\p{L}\p{N}])(?:mailto|tel|sms|callto|skype|facetime|whatsapp|tg|magnet|bitcoin):\S+/giu;

/** File types that are no top-level domains: no mail program links `plan.pdf`. */
const FILE_TYPES = [
  'pdf docx? xlsx? pptx? txt csv rtf odt ods odp pages key numbers epub html? css js ts json xml ya?ml sql log',
  'jpe?g png gif webp heic tiff? svg psd indd eps raw bmp wav flac aac ogg avi mkv webm srt',
  'rar tar gz tgz xz iso exe dmg pkg apk msi dll ttf otf woff ics',
];

/**
 * The dots of names that mail programs take for hosts: after a letter or digit, before a label that begins with two
 * letters (`song.mp3` is none: top-level domains have no digits). Some programs also accept the wide and the
 * ideographic full stop. `\p{M}` are the marks of combined letters.
 */
const HOST_DOT = new RegExp(
  String.raw`(?<=[\p{L}\p{N}\p{M}_-])(?:[.．](?=\p{L}{2})|[。｡](?=[a-z]{2}))(?!\p{L}+\p{N})` +
    String.raw`(?!(?:${FILE_TYPES.join(' ').replaceAll(' ', '|')})(?![\p{L}\p{N}\p{M}_-]))`,
  'giu',
);
/** The last dot of an IPv4 address. */
const IPV4_DOT = /(?<=\d\.\d{1,3}\.\d{1,3})\.(?=\d)/g;

/**
 * Somebody's text without anything that a mail program turns into a link. Addresses with a scheme are replaced by
 * `[link removed]`. Host names and email addresses stay readable and get a space before each dot: `example .org`.
 */
export function removeLinks(text: string): string {
  return toPlainText(text)
    .replace(WITH_SCHEME, REMOVED)
    .replace(WITH_SHORT_SCHEME, REMOVED)
    .replace(HOST_DOT, ' $&')
    .replace(IPV4_DOT, ' $&');
}

/** The same for the name of a file: it may end in `.zip` or `.mov`, which are top-level domains as well. */
export function removeLinksFromFileName(name: string): string {
  const type = /\.(?:zip|mov)$/i.exec(name)?.[0] ?? '';
  return removeLinks(name.slice(0, name.length - type.length)) + type;
}
