import { useState } from 'react';
import { isEmail } from '../../contracts/values/fields.ts';
import { parseEmails } from '../lib/email-list.ts';

type Content = { entries: string[]; draft: string };

type EmailEntries = Content & {
  /** What just happened, for those who do not see the chips. */
  news: string;
  /** The text behind the chips is now this; what of it is finished becomes chips. */
  type(text: string): void;
  /** Makes chips of a text, and goes on with another. */
  finish(text: string, rest?: string): void;
  /** Makes a chip the text that is being typed, to be mended. */
  takeBack(email: string): void;
  remove(email: string): void;
};

/** Finished addresses and the text behind them, as one value separated by commas. */
export function useEmailEntries(value: string, onChange: (value: string) => void): EmailEntries {
  const [content, setContent] = useContent(value);
  const [news, setNews] = useState('');
  const { entries, draft } = content;
  const change = (next: Content) => {
    setContent(next);
    onChange(toText(next));
  };
  const without = (email: string) => entries.filter((each) => each !== email);

  const finish = (text: string, rest = '') => {
    const next = parseEmails([...entries, text].join(', '));
    const added = next.slice(entries.length);
    if (added.length > 0) setNews(`${added.join(', ')} added`);
    change({ entries: next, draft: rest });
  };
  const type = (text: string) => {
    const end = findFinishedEnd(text);
    if (end > 0) finish(text.slice(0, end), text.slice(end).trimStart());
    else change({ entries, draft: text });
  };
  const takeBack = (email: string) =>
    change({ entries: parseEmails([...without(email), draft].join(', ')), draft: email });
  const remove = (email: string) => {
    setNews(`${email} removed`);
    change({ entries: without(email), draft });
  };
  return { entries, draft, news, type, finish, takeBack, remove };
}

/** Taken anew when the value is changed from outside. */
function useContent(value: string): [Content, (content: Content) => void] {
  const [content, setContent] = useState(() => toContent(value));
  const [known, setKnown] = useState(value);
  if (value === known) return [content, setContent];
  setKnown(value);
  if (value === toText(content)) return [content, setContent];
  const next = toContent(value);
  setContent(next);
  return [next, setContent];
}

function toContent(value: string): Content {
  return { entries: parseEmails(value), draft: '' };
}

function toText({ entries, draft }: Content): string {
  return [...entries, draft.trim()].filter(Boolean).join(', ');
}

/** Up to where the typed text is finished: its last separator, or a space behind a whole address. */
function findFinishedEnd(text: string): number {
  const isQuoting = text.split('"').length % 2 === 0;
  if (isQuoting) return 0;
  if (/\s$/.test(text) && isEmail(text.trim())) return text.length;
  return Math.max(text.lastIndexOf(','), text.lastIndexOf(';')) + 1;
}
