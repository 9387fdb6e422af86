type Reference = string | { id: string };

/** The id of an object that a response contains either as its id or expanded. */
export function idOf(reference: Reference): string;
export function idOf(reference: Reference | null | undefined): string | null;
export function idOf(reference: Reference | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}
