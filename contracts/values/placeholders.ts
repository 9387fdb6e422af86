/** Fills `{name}` in a sentence. An unknown placeholder stays, so that tests notice it. */
export function fillPlaceholders(sentence: string, values: Record<string, unknown>): string {
  return sentence.replace(/\{(\w+)\}/g, (place, name: string) =>
    name in values ? String(values[name]) : place,
  );
}
