export type MailContent = {
  title: string;
  /** Plain sentences; a line break inside one is kept. */
  paragraphs: string[];
  /** Six digits, shown large. */
  code?: string;
  button?: { label: string; url: string };
  /** Small print: why this mail came, how long something is valid. */
  footnote?: string;
};

/**
 * Every mail of the product in one calm layout, and its plain-text twin. All values are data: nothing a sender
 * wrote becomes markup. In the text, a code and a link each have a line of their own.
 */
export function renderMail(content: MailContent): { text: string; html: string } {
  return { text: renderText(content), html: renderHtml(content) };
}

function renderText({ title, paragraphs, code, button, footnote }: MailContent): string {
  const blocks = [
    title,
    ...paragraphs,
    code,
    button && `${button.label}:\n${button.url}`,
    footnote,
    '-- \nSendwell',
  ];
  return `${blocks.filter((block) => block !== undefined).join('\n\n')}\n`;
}

const FONT = "font-family:'Instrument Sans','Segoe UI',system-ui,-apple-system,Helvetica,Arial,sans-serif";

/** Clients that know dark mode read the classes; the inline colours are for all the others. */
const DARK_STYLES = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .paper { background: #12150f !important; }
    .card { background: #1b2017 !important; border-color: #333b2b !important; }
    .ink { color: #eef2e8 !important; }
    .soft { color: #a9b39d !important; }
    .code { background: #252c1e !important; color: #c8f08f !important; }
    .button { background: #a6dd6a !important; color: #12150f !important; }
    .brand { color: #a6dd6a !important; }
  }`;

function renderHtml({ title, paragraphs, code, button, footnote }: MailContent): string {
  const body = [
    `<h1 class="ink" style="margin:0 0 16px;${FONT};font-size:22px;line-height:1.3;color:#1b2017">${escapeHtml(title)}</h1>`,
    ...paragraphs.map(renderParagraph),
    code === undefined ? '' : renderCode(code),
    button === undefined ? '' : renderButton(button),
    footnote === undefined ? '' : renderFootnote(footnote),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${DARK_STYLES}
</style>
</head>
<body class="paper" style="margin:0;padding:0;background:#f6f7f2">
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" style="background:#f6f7f2">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td class="brand" style="padding:0 8px 16px;${FONT};font-size:18px;font-weight:700;color:#3f7d20">Sendwell</td></tr>
<tr><td class="card" style="padding:32px 28px;background:#ffffff;border:1px solid #dfe4d6;border-radius:14px">
${body.filter(Boolean).join('\n')}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function renderParagraph(paragraph: string): string {
  return `<p class="ink" style="margin:0 0 16px;${FONT};font-size:16px;line-height:1.55;color:#1b2017;overflow-wrap:anywhere">${escapeLines(paragraph)}</p>`;
}

function renderCode(code: string): string {
  return `<p class="code" style="margin:8px 0 24px;padding:16px;border-radius:10px;background:#eef5e4;color:#2c5a15;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:32px;font-weight:700;letter-spacing:8px;text-align:center">${escapeHtml(code)}</p>`;
}

function renderButton({ label, url }: { label: string; url: string }): string {
  const href = escapeHtml(url);
  return `<p style="margin:8px 0 16px"><a class="button" href="${href}" style="display:inline-block;padding:13px 24px;border-radius:10px;background:#3f7d20;color:#ffffff;${FONT};font-size:16px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>
<p class="soft" style="margin:0 0 16px;${FONT};font-size:13px;line-height:1.5;color:#5b6552;overflow-wrap:anywhere">Or open this address: ${href}</p>`;
}

function renderFootnote(footnote: string): string {
  return `<p class="soft" style="margin:24px 0 0;${FONT};font-size:13px;line-height:1.5;color:#5b6552;overflow-wrap:anywhere">${escapeLines(footnote)}</p>`;
}

function escapeLines(text: string): string {
  return escapeHtml(text).replace(/\r?\n/g, '<br>');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
