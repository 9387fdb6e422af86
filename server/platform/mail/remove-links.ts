import { toPlainText } from './plain.ts';

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
