import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isLanguage, LANGUAGES } from '../../contracts/values/language/languages.ts';
import { MAIL_KINDS, type MailKind } from '../../server/platform/mail/kinds.ts';

export const SAMPLES_PATH = '/mailbox/samples';
const RENDERER = join(import.meta.dirname, 'render-sample.ts');

/** Shows a sample of every mail in every language: `/mailbox/samples?kind=transfer-ready&lang=de`. */
export async function showSample(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const kind = MAIL_KINDS.find((each) => each === searchParams.get('kind')) ?? MAIL_KINDS[0];
  const wanted = searchParams.get('lang') ?? 'en';
  const language = isLanguage(wanted) ? wanted : 'en';
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-type', 'text/html; charset=utf-8');
  try {
    // In a new process, so that edited texts show without a restart.
    const { stdout } = await promisify(execFile)(process.execPath, [RENDERER, kind, language]);
    const { subject, html } = JSON.parse(stdout) as { subject: string; html: string };
    response.end(samplePage({ kind, language, subject, html }));
  } catch (error) {
    response.statusCode = 500;
    response.end(`<pre>${escapeHtml(String(error))}</pre>`);
  }
}

type Sample = { kind: MailKind; language: string; subject: string; html: string };

function samplePage({ kind, language, subject, html }: Sample): string {
  const choice = (name: string, values: readonly (readonly [string, string])[], chosen: string) => {
    const options = values.map(
      ([value, label]) => `<option value="${value}"${value === chosen ? ' selected' : ''}>${label}</option>`,
    );
    return `<select name="${name}" aria-label="${name}" onchange="this.form.submit()">${options.join('')}</select>`;
  };
  const kinds = MAIL_KINDS.map((each) => [each, each] as const);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>Sample mails – Sendwell development</title>
<style>body{margin:0;height:100vh;display:flex;flex-direction:column;font:15px/1.5 system-ui,sans-serif}
form{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center;padding:10px 14px}iframe{flex:1;border:0}</style>
<form>${choice('kind', kinds, kind)}${choice('lang', Object.entries(LANGUAGES), language)}
<strong>${escapeHtml(subject)}</strong><a href="/mailbox">Mailbox</a></form>
<iframe sandbox title="Mail" srcdoc="${escapeHtml(html)}"></iframe>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
