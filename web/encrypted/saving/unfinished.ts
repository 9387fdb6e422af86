import type { Form } from './ladder.ts';

const KEY = 'encrypted-unfinished';

/** A staged save that a reload interrupted, of this tab. */
export type Unfinished = {
  token: string;
  form: Form;
  /** Ids on the server; null for all files. */
  fileIds: string[] | null;
  stagedName: string;
};

export function findUnfinished(): Unfinished | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Unfinished | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Without storage, a reload starts over. */
export function keepUnfinished(unfinished: Unfinished): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(unfinished));
  } catch {}
}

export function forgetUnfinished(token: string): void {
  if (findUnfinished()?.token === token) sessionStorage.removeItem(KEY);
}
