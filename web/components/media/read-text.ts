type TextStart = { text: string; isCut: boolean };

/**
 * Reads at most `maxBytes` of a response as UTF-8 and cancels the rest. Invalid bytes become replacement characters;
 * a character that the limit would split is left out.
 */
export async function readTextStart(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<TextStart> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  let leftBytes = maxBytes;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isCut: false };
    // With `stream`, the decoder holds back an incomplete character.
    text += decoder.decode(value.subarray(0, leftBytes), { stream: true });
    if (value.length > leftBytes) {
      await reader.cancel();
      return { text, isCut: true };
    }
    leftBytes -= value.length;
  }
}
