import type { z } from 'zod';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { type Page, readNextCursor } from '../../contracts/file-pages.ts';
import { sendCall } from './call.ts';

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
