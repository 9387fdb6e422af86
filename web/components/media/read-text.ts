/** The beginning of a text of any length. */
type TextStart = { text: string; isCut: boolean };

/**
 * Reads at most so many bytes of an answer as UTF-8 and leaves the rest on the wire. Bytes that are no text become
 * replacement signs; a sign that the cut would halve is left out.
 */
export async function readTextStart(body: ReadableStream<Uint8Array>, mostBytes: number): Promise<TextStart> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  let leftBytes = mostBytes;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isCut: false };
    // Told to go on, the decoder keeps a sign's first half back.
    text += decoder.decode(value.subarray(0, leftBytes), { stream: true });
    if (value.length > leftBytes) {
      await reader.cancel();
      return { text, isCut: true };
    }
    leftBytes -= value.length;
  }
}
