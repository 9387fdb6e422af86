import { formatSize } from '../../../../contracts/values/sizes.ts';
import { toOneLine, toPlainText } from '../plain-text.ts';
import { describeMore } from '../wording.ts';
import { type MailBlock, type MailContent, NAMED_PEOPLE } from './content.ts';
import { renderHtml } from './frame.ts';

/** Nothing that a sender wrote becomes markup. In the text, a code or link has a line of its own. */
export function renderMail(content: MailContent): { text: string; html: string } {
  return { text: renderText(content), html: renderHtml(content) };
}

function renderText({ title, blocks, reason, unsubscribe }: MailContent): string {
  const parts = [toPlainText(title), ...blocks.map(renderBlock), renderFooter(reason, unsubscribe)];
  return `${parts.join('\n\n')}\n`;
}

function renderBlock(block: MailBlock): string {
  switch (block.kind) {
    case 'text':
    case 'note':
      return toPlainText(block.text);
    case 'quote':
      return `${line(block.author)} wrote:\n${quoteLines(block.text)}`;
    case 'code':
      return line(block.code);
    case 'figure':
      return `${line(block.value)} ${line(block.caption)}`;
    case 'files':
      return renderFiles(block);
    case 'facts':
      return block.facts.map(({ label, value }) => `${line(label)}: ${line(value)}`).join('\n');
    case 'people':
      return renderPeople(block);
    case 'button':
      return `${line(block.label)}:\n${toOneLine(block.url, URL_LENGTH)}`;
  }
}

function renderFiles({ files, fileCount, totalBytes }: Extract<MailBlock, { kind: 'files' }>): string {
  const rows = files.map(({ name, sizeBytes, note }) => {
    const row = `- ${line(name)} (${formatSize(sizeBytes)})`;
    return note === undefined ? row : `${row}\n  ${line(note)}`;
  });
  const more = describeMore(fileCount - files.length);
  const total = `Total: ${formatSize(totalBytes)}`;
  return [...rows, ...(more ? [`- ${more}`] : []), ...(fileCount > 1 ? [total] : [])].join('\n');
}

function renderPeople({ label, emails }: Extract<MailBlock, { kind: 'people' }>): string {
  const named = emails.slice(0, NAMED_PEOPLE).map((email) => `- ${line(email)}`);
  const more = describeMore(emails.length - NAMED_PEOPLE);
  return [`${line(label)}:`, ...named, ...(more ? [`- ${more}`] : [])].join('\n');
}

/** Not on a line of its own, where scripts expect codes and action links. */
function renderFooter(reason: string, unsubscribe: MailContent['unsubscribe']): string {
  const way = unsubscribe ? [`${unsubscribe.label}: ${unsubscribe.url}`] : [];
  return ['-- ', 'Sendwell', toPlainText(reason), ...way].join('\n');
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
