import { AppError } from '../lib/app-error.ts';

/** More levels of arrays and objects than any call needs. */
const JSON_DEPTH_MAX = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Parses a request body. Code that walks the result recursively needs a bounded stack, so text with more than
 * `JSON_DEPTH_MAX` levels is refused before it is parsed. Throws AppError `json_too_deep`, `malformed_json`.
 */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined;
  requireShallow(text);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('malformed_json', { cause });
  }
}

function requireShallow(text: string): void {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) throw new AppError('json_too_deep', { details: { depth: JSON_DEPTH_MAX } });
    } else if (CLOSING.has(code)) depth -= 1;
  }
}
