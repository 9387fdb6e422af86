import type { z } from 'zod';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { sendCall } from './call.ts';

/** One page of a list; `nextCursor` is absent on the last. */
export type Page<Item> = { items: Item[]; nextCursor: string | undefined };

type PageInput<Q extends z.ZodType> = {
  params?: Record<string, string>;
  query: z.input<Q> & Record<string, unknown>;
  signal?: AbortSignal;
};

/** Asks for one page of a list whose next page is named by the answer's `Link` header. Throws ApiError. */
export async function callPage<P extends z.ZodType, Q extends z.ZodType, R extends z.ZodArray>(
  endpoint: Endpoint<P, Q, z.ZodUndefined, R>,
  { params, query, signal }: PageInput<Q>,
): Promise<Page<z.output<R>[number]>> {
  const response = await sendCall(endpoint, { ...(params && { params }), query, ...(signal && { signal }) });
  return { items: await response.json(), nextCursor: readNextCursor(response.headers.get('link')) };
}

/** The cursor of `<…?cursor=…>; rel="next"`. */
export function readNextCursor(link: string | null): string | undefined {
  const [, address] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '') ?? [];
  if (!address) return undefined;
  return new URL(address, 'http://localhost').searchParams.get('cursor') ?? undefined;
}
