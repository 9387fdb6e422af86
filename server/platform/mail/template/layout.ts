import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import { toOneLine, toPlainText } from '../plain-text.ts';
import type { Wording } from '../wording.ts';
import { type MailBlock, type MailContent, NAMED_PEOPLE } from './content.ts';
import { renderHtml } from './frame.ts';

type RenderedMail = { text: string; html: string; language: LanguageCode };

/**
 * Nothing that a sender wrote becomes markup. In the text, a code or link has a line of its own. `wording` is in the
 * language of the content.
 */
export function renderMail(wording: Wording, content: MailContent): RenderedMail {
  return {
    text: renderText(wording, content),
    html: renderHtml(wording, content),
    language: wording.language,
  };
}

function renderText(wording: Wording, { title, blocks, reason, unsubscribe }: MailContent): string {
  const parts = [
    toPlainText(title),
    ...blocks.map((block) => renderBlock(wording, block)),
    renderFooter(wording, { reason, unsubscribe }),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderBlock(wording: Wording, block: MailBlock): string {
  const { t } = wording;
  switch (block.kind) {
    case 'text':
    case 'note':
      return toPlainText(block.text);
    case 'quote':
      return `${t('{author} wrote:', { author: line(block.author) })}\n${quoteLines(block.text)}`;
    case 'code':
      return line(block.code);
    case 'figure':
      return `${line(block.value)} ${line(block.caption)}`;
    case 'files':
      return renderFiles(wording, block);
    case 'facts':
      return block.facts.map(({ label, value }) => `${labelled(wording, label)} ${line(value)}`).join('\n');
    case 'people':
      return renderPeople(wording, block);
    case 'button':
      return `${labelled(wording, block.label)}\n${toOneLine(block.url, URL_LENGTH)}`;
  }
}

type Block<Kind extends MailBlock['kind']> = Extract<MailBlock, { kind: Kind }>;

function renderFiles(wording: Wording, { files, fileCount, totalBytes }: Block<'files'>): string {
  const { describeMore, formatSize } = wording;
  const rows = files.map(({ name, sizeBytes, note }) => {
    const row = `- ${line(name)} (${formatSize(sizeBytes)})`;
    return note === undefined ? row : `${row}\n  ${line(note)}`;
  });
  const more = describeMore(fileCount - files.length);
  const total = `${labelled(wording, wording.t('Total'))} ${formatSize(totalBytes)}`;
  return [...rows, ...(more ? [`- ${more}`] : []), ...(fileCount > 1 ? [total] : [])].join('\n');
}

function renderPeople(wording: Wording, { label, emails }: Block<'people'>): string {
  const named = emails.slice(0, NAMED_PEOPLE).map((email) => `- ${line(email)}`);
  const more = wording.describeMore(emails.length - NAMED_PEOPLE);
  return [labelled(wording, label), ...named, ...(more ? [`- ${more}`] : [])].join('\n');
}

/** Not on a line of its own, where scripts expect codes and action links. */
function renderFooter(
  wording: Wording,
  { reason, unsubscribe }: Pick<MailContent, 'reason' | 'unsubscribe'>,
): string {
  const way = unsubscribe ? [`${labelled(wording, unsubscribe.label)} ${unsubscribe.url}`] : [];
  return ['-- ', 'Sendwell', toPlainText(reason), ...way].join('\n');
}

function labelled({ t }: Wording, label: string): string {
  return t('{label}:', { label: line(label) });
}

function quoteLines(text: string): string {
  return toPlainText(text)
    .split('\n')
    .map((each) => `> ${each}`)
    .join('\n');
}

const LINE_LENGTH = 500;
const URL_LENGTH = 2_000;

function line(text: string): string {
  return toOneLine(text, LINE_LENGTH);
}
