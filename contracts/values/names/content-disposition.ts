export type Disposition = 'attachment' | 'inline';

// biome-ignore lint/suspicious/noControlCharactersInRegex: it replaces control characters
const UNSAFE = /[\u0000-\u001f\u007f-\u009f/\\]/g;

/**
 * RFC 6266: the exact name as `filename*` (RFC 8187), and an ASCII approximation for old clients. No name can
 * break out of the header or contain a path.
 */
export function contentDisposition(fileName: string, disposition: Disposition = 'attachment'): string {
  const name = fileName.toWellFormed().replace(UNSAFE, '_') || 'download';
  return `${disposition}; filename="${toAscii(name)}"; filename*=UTF-8''${toExtended(name)}`;
}

/** Some clients decode `%` here. */
function toAscii(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^ -~]|["%\\/]/gu, '_');
}

function toExtended(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
