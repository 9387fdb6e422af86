/** One file as a mail names it. */
export type MailFile = {
  name: string;
  sizeBytes: number;
  /** On a line of its own below the name, in small fixed letters: a checksum. */
  note?: string;
};

/** What a mail is made of, in reading order. All strings are data, never markup. */
export type MailBlock =
  /** Plain sentences; a line break inside is kept. */
  | { kind: 'text'; text: string }
  /** What somebody else wrote, marked as theirs. */
  | { kind: 'quote'; text: string; author: string }
  /** Six digits, shown large, alone on a line of the plain text. */
  | { kind: 'code'; code: string }
  /** A number that is the news, with what it counts. */
  | { kind: 'figure'; value: string; caption: string }
  /** The first files of `fileCount`, which have `totalBytes` together. */
  | { kind: 'files'; files: MailFile[]; fileCount: number; totalBytes: number }
  | { kind: 'facts'; facts: { label: string; value: string }[] }
  /** Addresses; the first few are named. */
  | { kind: 'people'; label: string; emails: string[] }
  /** The one thing to do, with its address below for those who cannot press it. */
  | { kind: 'button'; label: string; url: string }
  /** Something to heed before going on. */
  | { kind: 'note'; text: string };

export type MailContent = {
  /** What inboxes show beside the subject; not shown in the mail itself. */
  preview: string;
  title: string;
  blocks: MailBlock[];
  /** Small print: why this mail came. */
  reason: string;
  /** For mails one can end: the page that ends them. */
  unsubscribe?: { label: string; url: string };
};

/** How many addresses are named before "and N more". */
export const NAMED_PEOPLE = 8;
