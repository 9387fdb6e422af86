import type { Wording } from '../wording.ts';
import { renderHtmlBlock } from './blocks.ts';
import type { MailContent } from './content.ts';
import { darkStyles, element, escapeHtml, escapeLines, FONT, layoutTable, row, WRAP } from './elements.ts';

/** For phones. */
const NARROW_STYLES = `@media (max-width: 480px) {
.outer{padding:0 0 24px !important}
.frame{border-width:0 0 1px !important}
.frame,.well{border-radius:0 !important}
.body{padding-left:22px !important;padding-right:22px !important}
.title{font-size:25px !important}
.button{width:100% !important}
}`;

/** Loads nothing from outside. */
export function renderHtml(wording: Wording, content: MailContent): string {
  const { title } = content;
  const { language } = wording;
  return `<!doctype html>
<html lang="${language}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="x-apple-disable-message-reformatting">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
${NARROW_STYLES}
${darkStyles()}
</style>
</head>
${element('body', { coats: ['paper'], css: 'margin:0;padding:0' }, renderBody(wording, content))}
</html>
`;
}

function renderBody(wording: Wording, content: MailContent): string {
  const column = layoutTable(row(renderCard(wording, content)) + row(renderFooter(content)), {
    css: 'max-width:600px;margin:0 auto',
  });
  const outer = element(
    'td',
    { coats: ['paper'], css: 'padding:28px 16px 36px', className: 'outer', attributes: 'align="center"' },
    column,
  );
  const inner = layoutTable(row(outer), { coats: ['paper'] });
  return (
    renderPreview(content.preview) +
    `<div role="article" aria-roledescription="email" aria-label="${escapeHtml(content.title)}" lang="${wording.language}">${inner}</div>`
  );
}

/** The filler keeps inboxes from showing the mail's text after it. */
function renderPreview(preview: string): string {
  const css =
    'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all';
  const fillers = '&#847;&zwnj;&nbsp;'.repeat(60);
  return `<div aria-hidden="true" style="${css}">${escapeHtml(preview)}${fillers}</div>`;
}

function renderCard(wording: Wording, { title, blocks }: MailContent): string {
  const heading = element(
    'h1',
    {
      coats: ['ink'],
      css: `margin:0 0 18px;${FONT};font-size:29px;line-height:1.18;font-weight:600;letter-spacing:-0.022em;${WRAP}`,
      className: 'title',
      attributes: 'dir="auto"',
    },
    escapeHtml(title),
  );
  const body = element(
    'td',
    { css: 'padding:36px 44px 16px', className: 'body' },
    [heading, ...blocks.map((block) => renderHtmlBlock(wording, block))].join('\n'),
  );
  const card = layoutTable(row(renderWell()) + row(body), {
    coats: ['card'],
    css: 'border:1px solid;border-radius:24px;overflow:hidden;table-layout:fixed',
    className: 'frame',
  });
  return `<td>${card}</td>`;
}

function renderFooter({ reason, unsubscribe }: MailContent): string {
  const css = `margin:0 0 8px;${FONT};font-size:13px;line-height:1.6;${WRAP}`;
  const why = element('p', { coats: ['soft'], css }, escapeLines(reason));
  const link =
    unsubscribe &&
    element(
      'a',
      {
        coats: ['soft'],
        css: 'display:inline-block;padding:6px 0;text-decoration:underline',
        attributes: `href="${escapeHtml(unsubscribe.url)}"`,
      },
      escapeHtml(unsubscribe.label),
    );
  const way = link ? element('p', { coats: ['soft'], css }, link) : '';
  return element('td', { css: 'padding:22px 44px 0', className: 'body' }, why + way);
}

/** Outermost first, in percent of the previous one. */
const RINGS = [
  { coat: 'ring-far', width: '88%', height: 94 },
  { coat: 'ring', width: '66%', height: 76 },
  { coat: 'ring', width: '52%', height: 56 },
] as const;

/**
 * Drawn with borders, because images would have to be fetched; Outlook draws no curves and shows only the
 * name.
 */
function renderWell(): string {
  const drop =
    '<div style="height:14px;font-size:0;line-height:0">&nbsp;</div><div style="width:14px;height:20px;margin:0 auto;background-color:#bdf24e;border-radius:50% / 68% 68% 32% 32%;font-size:0;line-height:0">&nbsp;</div>';
  const rings = RINGS.reduceRight(
    (inner, { coat, width, height }) =>
      element(
        'div',
        {
          coats: [coat],
          css: `width:${width};height:${height}px;margin:0 auto;border:1px solid;border-top:0;border-radius:0 0 50% 50% / 0 0 100% 100%`,
        },
        inner,
      ),
    drop,
  );
  const name = `<div style="padding:10px 0 22px;${FONT};font-size:21px;line-height:1.2;font-weight:600;letter-spacing:-0.02em;color:#f3f1e8">Sendwell</div>`;
  return element(
    'td',
    { coats: ['well'], attributes: 'align="center"', css: 'padding:0;border-radius:23px 23px 0 0' },
    `<!--[if !mso]><!-->${rings}<!--<![endif]-->${name}`,
  );
}
