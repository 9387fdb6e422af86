import { OutgoingRefusal } from './refusal.ts';

/** Statuses whose responses have no body. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * A `fetch` that never follows redirects and reads at most `maxBytes` of a response. For hosts that only the operator
 * can configure: it also connects to private networks. Throws OutgoingRefusal for longer responses.
 */
export function limitedFetch(maxBytes: number) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const { status, statusText, headers } = response;
    const bytes = await readUpTo(response, maxBytes);
    return new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, statusText, headers });
  };
}

async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Uint8Array[] = [];
  let length = 0;
  for await (const block of response.body ?? []) {
    length += block.length;
    if (length > maxBytes) throw new OutgoingRefusal('The response is too long.');
    blocks.push(block);
  }
  return new Uint8Array(Buffer.concat(blocks));
}
