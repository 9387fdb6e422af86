export type MailFile = {
  name: string;
  sizeBytes: number;
  /** Monospaced, for a checksum. */
  note?: string;
};

/** In reading order. All strings are data, never markup. */
export type MailBlock =
  | { kind: 'text'; text: string }
  | { kind: 'quote'; text: string; author: string }
  /** Six digits, on a line of its own in plain text. */
  | { kind: 'code'; code: string }
  | { kind: 'figure'; value: string; caption: string }
  /** `files` are the first of `fileCount`. */
  | { kind: 'files'; files: MailFile[]; fileCount: number; totalBytes: number }
  | { kind: 'facts'; facts: { label: string; value: string }[] }
  /** Only the first few addresses are listed. */
  | { kind: 'people'; label: string; emails: string[] }
  | { kind: 'button'; label: string; url: string }
  | { kind: 'note'; text: string };

export type MailContent = {
  /** Shown by inboxes beside the subject. */
  preview: string;
  title: string;
  blocks: MailBlock[];
  reason: string;
  unsubscribe?: { label: string; url: string };
};

/** Before "and N more". */
export const NAMED_PEOPLE = 8;
