import { msg } from '../../../platform/mail/wording.ts';
import { escapeUpTo } from './escaping.ts';
import { type Provider, readJson, readText } from './provider.ts';

/** A message can have 28 KB. */
const TITLE_MAX = 200;
const TEXT_MAX = 3_000;
const FACT_MAX = 300;

/**
 * Text runs know no Markdown and no functions such as `{{DATE(…)}}`, unlike text blocks and facts.
 * https://adaptivecards.io/explorer/TextRun.html
 */
const paragraph = (text: string, style: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
});

/** https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook */
export const teams: Provider = {
  compose({ title, text, facts, link, tone }, { url }) {
    const color = tone === 'problem' ? 'Attention' : 'Default';
    const card = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [
        paragraph(escapeUpTo(title, TITLE_MAX), { weight: 'Bolder', size: 'Medium', color }),
        paragraph(escapeUpTo(text, TEXT_MAX)),
        ...facts.map(({ label, value }) =>
          paragraph(escapeUpTo(`${label}: ${value}`, FACT_MAX), { size: 'Small', isSubtle: true }),
        ),
      ],
      actions: [{ type: 'Action.OpenUrl', title: escapeUpTo(link.label, TITLE_MAX), url: link.url }],
    };
    return {
      url,
      body: {
        type: 'message',
        attachments: [
          { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
        ],
      },
    };
  },
  explain(response) {
    const { code } = errorOf(response);
    if (code === 'WorkflowNotFound' || response.status === 404)
      return msg('Teams no longer knows this workflow. Create a new one and enter its URL.');
    if (code === 'WorkflowDisabled' || code === 'WorkflowTriggerNotEnabled')
      return msg('The workflow is turned off. Turn it on in the Workflows app of Teams.');
    if (response.status === 401 || response.status === 403)
      return msg(
        'The URL is incomplete or has been replaced. Copy it from the Workflows app of Teams again.',
      );
    return undefined;
  },
  findDetail: (response) => errorOf(response).message,
};

function errorOf(response: { body: string }): { code?: string | undefined; message?: string | undefined } {
  const error = readJson(response).error as Record<string, unknown> | undefined;
  return { code: readText(error?.code), message: readText(error?.message) };
}
