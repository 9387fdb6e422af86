import { type Bytes, concatBytes } from './bytes.ts';

/** In the form of both lib.dom and Node, which differ. */
type Transform = { readonly readable: unknown; readonly writable: unknown };

export function gzip(bytes: Bytes): Promise<Bytes> {
  return pipe(bytes, new CompressionStream('gzip'), Number.POSITIVE_INFINITY);
}

/** Rejects if the bytes are not gzip, or more than `maxBytes` come out. */
export function gunzip(bytes: Bytes, maxBytes: number): Promise<Bytes> {
  return pipe(bytes, new DecompressionStream('gzip'), maxBytes);
}

async function pipe(bytes: Bytes, transform: Transform, maxBytes: number): Promise<Bytes> {
  const { readable, writable } = transform as { readable: ReadableStream; writable: WritableStream };
  const writer = writable.getWriter();
  // Errors of the writing side arrive at the reading side, too.
  void writer
    .write(bytes)
    .then(() => writer.close())
    .catch(() => undefined);
  const reader = readable.getReader();
  const parts: Bytes[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatBytes(...parts);
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new RangeError(`more than ${maxBytes} bytes`);
    }
    parts.push(value);
  }
}
