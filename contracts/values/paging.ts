export const FILES_PER_PAGE = 1_000;

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
