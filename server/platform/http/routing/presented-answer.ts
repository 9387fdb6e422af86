import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { compressText, type Encoding } from './compression.ts';

/**
 * A response that has passed the schema of its endpoint, so that a handler can keep it and return it again.
 */
export class PresentedAnswer<R> {
  readonly json: string;
  /** Weak and quoted. A request that names it in `If-None-Match` gets 304. */
  readonly etag: string | undefined;
  declare readonly schema?: R;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  private constructor(json: string, { isConditional = false } = {}) {
    this.json = json;
    this.etag = isConditional ? weakTag(json) : undefined;
  }

  static of<R extends z.ZodType>({ response }: { response: R }, value: z.input<R>): PresentedAnswer<R> {
    return new PresentedAnswer<R>(JSON.stringify(response.parse(value)));
  }

  /** For calls that clients repeat until the answer changes. */
  static conditional<R extends z.ZodType>(
    { response }: { response: R },
    value: z.input<R>,
  ): PresentedAnswer<R> {
    return new PresentedAnswer<R>(JSON.stringify(response.parse(value)), { isConditional: true });
  }

  /** Compressed on the thread pool, at the first call. */
  compress(encoding: Encoding): Promise<Buffer> {
    const compressed = this.#compressed.get(encoding) ?? compressText(this.json, encoding);
    this.#compressed.set(encoding, compressed);
    return compressed;
  }
}

function weakTag(json: string): string {
  return `W/"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"`;
}
