/** WebCrypto does not accept views of shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;

export function concatBytes(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

let nowhere: ReturnType<typeof createClosedPort> | undefined;

/**
 * Frees a whole buffer that nobody uses any more, so that its memory is used again at once. Otherwise that takes until
 * some later garbage collection, and everything is written to fresh memory meanwhile, which is several times slower.
 *
 * A transferred buffer belongs to the message, and a message for a closed port is dropped.
 * `ArrayBuffer.prototype.transfer(0)` does not help: Chromium keeps the memory of buffers that it has filled itself.
 */
export function freeBytes({ buffer }: Bytes): void {
  nowhere ??= createClosedPort();
  if (buffer.byteLength > 0) nowhere.postMessage(null, [buffer]);
}

function createClosedPort() {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}

export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Throws for text that is not base64. */
export function fromBase64Url(text: string): Bytes {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The text must be hex. */
export function fromHex(text: string): Bytes {
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  );
}
