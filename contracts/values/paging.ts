import { z } from 'zod';

export const FILES_PER_PAGE = 1_000;

export const FilesQuery = z.object({
  cursor: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      '`nextFiles` of the transfer, or taken from the link to the next page. The first page by default.',
    ),
});

export const FirstFilesQuery = z.object({
  firstFiles: z.coerce
    .number()
    .int()
    .min(1)
    .max(FILES_PER_PAGE)
    .optional()
    .catch(undefined)
    .describe(
      'How many files the response contains at most; 1,000 by default. Ignored if it is not a valid number.',
    ),
});

/** Parses `Link: <…?cursor=…>; rel="next"`; undefined on the last page. */
export function readNextCursor(link: string | null | undefined): string | undefined {
  const [, address] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '') ?? [];
  if (!address) return undefined;
  return new URL(address, 'http://localhost').searchParams.get('cursor') ?? undefined;
}

/** `nextCursor` is undefined on the last page. */
export type Page<Item> = { items: Item[]; nextCursor: string | undefined };

/** Fetches the pages after `cursor` one by one; none if it is null or undefined. */
export async function* fetchPages<Item>(
  cursor: string | null | undefined,
  fetchPage: (cursor: string) => Promise<Page<Item>>,
): AsyncGenerator<Item[], void, void> {
  for (let next = cursor ?? undefined; next !== undefined; ) {
    const { items, nextCursor } = await fetchPage(next);
    yield items;
    next = nextCursor;
  }
}
