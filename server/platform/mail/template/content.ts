export type MailFile = {
  name: string;
  sizeBytes: number;
  /** A small monospaced line below the name, for a checksum. */
  note?: string;
};

/** The blocks of a mail, in reading order. All strings are data, never markup. */
export type MailBlock =
  /** Line breaks are kept. */
  | { kind: 'text'; text: string }
  | { kind: 'quote'; text: string; author: string }
  /** A six-digit code, shown large, on a line of its own in plain text. */
  | { kind: 'code'; code: string }
  | { kind: 'figure'; value: string; caption: string }
  /** The first of `fileCount` files with `totalBytes` in total. */
  | { kind: 'files'; files: MailFile[]; fileCount: number; totalBytes: number }
  | { kind: 'facts'; facts: { label: string; value: string }[] }
  /** Email addresses; only the first few are listed. */
  | { kind: 'people'; label: string; emails: string[] }
  /** A button with its URL below, for readers who cannot use it. */
  | { kind: 'button'; label: string; url: string }
  | { kind: 'note'; text: string };

export type MailContent = {
  /** The preview text that inboxes show beside the subject. */
  preview: string;
  title: string;
  blocks: MailBlock[];
  /** Small print: why the reader gets this mail. */
  reason: string;
  /** The unsubscribe page, for mails that have one. */
  unsubscribe?: { label: string; url: string };
};

/** How many addresses are named before "and N more". */
export const NAMED_PEOPLE = 8;
