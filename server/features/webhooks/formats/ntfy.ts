import { msg } from '../../../platform/mail/wording.ts';
import { cutBytes, escapeUpTo } from './escaping.ts';
import { type Provider, readJson, readText } from './provider.ts';

const TITLE_MAX = 250;
/** Longer messages become attachments. https://docs.ntfy.sh/publish/#limitations */
const MESSAGE_MAX_BYTES = 4_096;
const LABELS = { news: ['package'], problem: ['warning'] };
const PRIORITIES = { news: 3, problem: 4 };

/** Text is plain unless `markdown` is set. https://docs.ntfy.sh/publish/#publish-as-json */
export const ntfy: Provider = {
  compose({ title, text, facts, link, tone }, { url, accessToken }) {
    const lines = [text, ...facts.map(({ label, value }) => `${label}: ${value}`)];
    const { server, topic } = splitTopic(url);
    return {
      url: server,
      ...(accessToken && { headers: [{ name: 'authorization', value: `Bearer ${accessToken}` }] }),
      body: {
        topic,
        title: escapeUpTo(title, TITLE_MAX),
        message: cutBytes(lines.join('\n'), MESSAGE_MAX_BYTES),
        tags: LABELS[tone],
        priority: PRIORITIES[tone],
        click: link.url,
      },
    };
  },
  secretHeaders: ['authorization'],
  explain({ status }) {
    if (status === 401 || status === 403)
      return msg('ntfy does not accept the access token, or it may not write to this topic.');
    if (status === 404 || status === 405)
      return msg('There is no ntfy server at this address. Please check it.');
    if (status === 429) return msg('The limit of messages of this ntfy server is reached.');
    return undefined;
  },
  findDetail: (response) => readText(readJson(response).error),
};

/** JSON goes to the address of the server; the topic is its last part. */
function splitTopic(text: string): { server: string; topic: string } {
  const { origin, pathname } = new URL(text);
  const parts = pathname.split('/').filter(Boolean);
  const topic = parts.pop() ?? '';
  return { server: `${origin}/${parts.join('/')}`, topic };
}
