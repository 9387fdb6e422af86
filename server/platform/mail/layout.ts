import type { MailContent } from './content.ts';
import { renderHtml } from './html-frame.ts';
import { renderText } from './text.ts';

/**
 * Every mail of the product in one calm layout, and its plain-text twin. All values are data: nothing a sender
 * wrote becomes markup. In the text, a code and a link each have a line of their own.
 */
export function renderMail(content: MailContent): { text: string; html: string } {
  return { text: renderText(content), html: renderHtml(content) };
}
