import type { Wording } from '../wording.ts';
import { type MailBlock, type MailFile, NAMED_PEOPLE } from './content.ts';
import { element, escapeHtml, escapeLines, FONT, layoutTable, row, WRAP } from './elements.ts';

type Block<Kind extends MailBlock['kind']> = Extract<MailBlock, { kind: Kind }>;

export function renderHtmlBlock(wording: Wording, block: MailBlock): string {
  switch (block.kind) {
    case 'text':
      return renderText(block);
    case 'quote':
      return renderQuote(block);
    case 'code':
      return renderCode(block);
    case 'figure':
      return renderFigure(block);
    case 'files':
      return renderFiles(wording, block);
    case 'facts':
      return renderFacts(block);
    case 'people':
      return renderPeople(wording, block);
    case 'button':
      return renderButton(wording, block);
    case 'note':
      return renderNote(block);
  }
}

function renderText({ text }: Block<'text'>): string {
  const css = `margin:0 0 20px;${FONT};font-size:16px;line-height:1.6;${WRAP}`;
  return element('p', { coats: ['ink'], css }, escapeLines(text));
}

function renderQuote({ text, author }: Block<'quote'>): string {
  const words = element(
    'blockquote',
    {
      coats: ['ink'],
      css: `margin:0;${FONT};font-size:17px;line-height:1.6;${WRAP}`,
      attributes: 'dir="auto"',
    },
    escapeLines(text),
  );
  const signature = element(
    'p',
    { coats: ['soft'], css: `margin:8px 0 0;${FONT};font-size:14px;line-height:1.5;${WRAP}` },
    escapeHtml(author),
  );
  const cell = element(
    'td',
    { coats: ['rule'], css: 'padding:2px 0 2px 18px;border-left:3px solid' },
    words + signature,
  );
  return layoutTable(row(cell), { css: 'margin:0 0 26px;table-layout:fixed' });
}

function renderCode({ code }: Block<'code'>): string {
  const css =
    'margin:4px 0 26px;padding:22px 0 22px 10px;border-radius:18px;text-align:center;' +
    'font-family:ui-monospace,Menlo,Consolas,monospace;font-size:36px;line-height:1.2;font-weight:700;letter-spacing:10px';
  return element('p', { coats: ['wash', 'accent-ink'], css }, escapeHtml(code));
}

function renderFigure({ value, caption }: Block<'figure'>): string {
  const number = element(
    'span',
    {
      coats: ['accent-ink'],
      css: `${FONT};font-size:44px;line-height:1.1;font-weight:600;letter-spacing:-0.03em;${WRAP}`,
    },
    escapeHtml(value),
  );
  const words = element(
    'span',
    { coats: ['soft'], css: `${FONT};font-size:16px;line-height:1.5;${WRAP}` },
    escapeHtml(caption),
  );
  return `<p style="margin:0 0 24px">${number}<br>${words}</p>`;
}

const TEXT_CELL = `${FONT};font-size:15px;line-height:1.45;vertical-align:top`;
const UNDERLINED = 'padding:11px 0;border-bottom:1px solid';

function renderFiles(wording: Wording, { files, fileCount, totalBytes }: Block<'files'>): string {
  const { t, describeMore, formatSize } = wording;
  const more = describeMore(fileCount - files.length);
  const last = more ? row(nameCell(escapeHtml(more), UNDERLINED, 'soft'), sizeCell('', UNDERLINED)) : '';
  const total =
    fileCount > 1
      ? row(
          totalCell(t('{fileCount, plural, one {# file} other {# files}}', { fileCount })),
          totalCell(formatSize(totalBytes), 'right'),
        )
      : '';
  const css = 'margin:0 0 28px;table-layout:fixed;border-top:1px solid';
  return layoutTable(files.map((file) => renderFile(wording, file)).join('') + last + total, {
    coats: ['line'],
    css,
  });
}

function renderFile({ formatSize }: Wording, { name, sizeBytes, note }: MailFile): string {
  const edge = note === undefined ? UNDERLINED : 'padding:11px 0 2px';
  const file = row(nameCell(`<bdi>${escapeHtml(name)}</bdi>`, edge), sizeCell(formatSize(sizeBytes), edge));
  return note === undefined ? file : file + row(noteCell(note));
}

function nameCell(markup: string, edge: string, coat: 'ink' | 'soft' = 'ink'): string {
  return element('td', { coats: [coat, 'line'], css: `${edge};${TEXT_CELL};${WRAP}` }, markup);
}

function sizeCell(size: string, edge: string): string {
  const css = `${edge};${TEXT_CELL};padding-left:12px;text-align:right;white-space:nowrap`;
  return element('td', { coats: ['soft', 'line'], css, attributes: 'width="92"' }, size);
}

function noteCell(note: string): string {
  const css =
    'padding:0 0 11px;border-bottom:1px solid;word-break:break-all;' +
    'font:11px/1.5 ui-monospace,Menlo,Consolas,monospace';
  return element('td', { coats: ['soft', 'line'], css, attributes: 'colspan="2"' }, escapeHtml(note));
}

function totalCell(text: string, align = 'left'): string {
  const css = `padding:12px 0 0;${FONT};font-size:15px;line-height:1.45;font-weight:600;text-align:${align};white-space:nowrap`;
  return element('td', { coats: ['ink'], css }, escapeHtml(text));
}

function renderFacts({ facts }: Block<'facts'>): string {
  const rows = facts.map(({ label, value }) => {
    const css = `padding:0 16px 9px 0;${FONT};font-size:15px;line-height:1.5;vertical-align:top;${WRAP}`;
    const name = element('td', { coats: ['soft'], css, attributes: 'width="33%"' }, escapeHtml(label));
    return row(
      name,
      element('td', { coats: ['ink'], css: css.replace('16px', '0') }, `<bdi>${escapeHtml(value)}</bdi>`),
    );
  });
  return layoutTable(rows.join(''), { css: 'margin:0 0 18px;table-layout:fixed' });
}

function renderPeople({ describeMore }: Wording, { label, emails }: Block<'people'>): string {
  const heading = element(
    'p',
    { coats: ['soft'], css: `margin:0 0 6px;${FONT};font-size:15px;line-height:1.5` },
    escapeHtml(label),
  );
  const named = emails.slice(0, NAMED_PEOPLE).map((email) => `<bdi>${escapeHtml(email)}</bdi>`);
  const more = describeMore(emails.length - NAMED_PEOPLE);
  const css = `margin:0 0 24px;${FONT};font-size:16px;line-height:1.65;${WRAP}`;
  return (
    heading +
    element('p', { coats: ['ink'], css }, [...named, ...(more ? [escapeHtml(more)] : [])].join('<br>'))
  );
}

function renderButton({ t }: Wording, { label, url }: Block<'button'>): string {
  const href = escapeHtml(url);
  const link = element(
    'a',
    {
      coats: ['accent'],
      css: `display:block;padding:16px 46px;border-radius:999px;${FONT};font-size:17px;line-height:1.3;font-weight:600;text-align:center;text-decoration:none`,
      attributes: `href="${href}"`,
    },
    escapeHtml(label),
  );
  const cell = element(
    'td',
    { coats: ['accent'], css: 'border-radius:999px', attributes: 'align="center"' },
    link,
  );
  const button = layoutTable(row(cell), { css: 'margin:6px 0 16px', className: 'button', attributes: '' });
  const address = element('span', { coats: ['accent-ink'], css: WRAP }, href);
  const css = `margin:0 0 26px;${FONT};font-size:13px;line-height:1.55;${WRAP}`;
  return (
    button + element('p', { coats: ['soft'], css }, `${escapeHtml(t('Or open this address:'))} ${address}`)
  );
}

function renderNote({ text }: Block<'note'>): string {
  const css = `padding:14px 18px;border-radius:14px;${FONT};font-size:15px;line-height:1.55;${WRAP}`;
  const cell = element('td', { coats: ['wash', 'ink'], css }, escapeLines(text));
  return layoutTable(row(cell), { css: 'margin:0 0 24px' });
}
