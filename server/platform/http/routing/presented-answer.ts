import type { z } from 'zod';
import { compressText, type Encoding } from './compression.ts';

/**
 * A response that has passed the schema of its endpoint, so that a handler can keep it and return it again.
 */
export class PresentedAnswer<R> {
  readonly json: string;
  declare readonly schema?: R;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  private constructor(json: string) {
    this.json = json;
  }

  static of<R extends z.ZodType>({ response }: { response: R }, value: z.input<R>): PresentedAnswer<R> {
    return new PresentedAnswer<R>(JSON.stringify(response.parse(value)));
  }

  /** Compressed on the thread pool, at the first call. */
  compress(encoding: Encoding): Promise<Buffer> {
    const compressed = this.#compressed.get(encoding) ?? compressText(this.json, encoding);
    this.#compressed.set(encoding, compressed);
    return compressed;
  }
}
