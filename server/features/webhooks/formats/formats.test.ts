import assert from 'node:assert/strict';
import test from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { WEBHOOK_FORMATS } from '../../../../contracts/accounts/webhook-formats.ts';
import type { WebhookPayload } from '../../../../contracts/accounts/webhooks.ts';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { LANGUAGE_CODES } from '../../../../contracts/values/language/languages.ts';
import { MESSAGE_SCHEMAS } from '../../../../testing/webhooks/message-schemas.ts';
import type { MessageFormat } from '../../../../testing/webhooks/message-webhooks.ts';
import { composeMessage, explainAnswer, findRetryAfter, type Receiver } from './compose.ts';
import { cutBytes, escapeUpTo } from './escaping.ts';
import { maskAddress, normaliseTarget, sealTarget } from './target.ts';

const FORMATS = WEBHOOK_FORMATS.filter((format): format is MessageFormat => format !== 'sendwell');
const SECRET = 'a secret of the server';
const NOW = '2026-11-25T12:00:00.000Z';

const transferOf = (changes: Partial<Transfer> = {}) =>
  ({
    id: '01hx',
    token: 'SHARE-TOKEN',
    title: 'Rushes',
    firstFileName: null,
    message: 'A private message',
    receivedFrom: null,
    recipientEmails: [],
    createdAt: NOW,
    expiresAt: '2026-12-01T12:00:00.000Z',
    isExpired: false,
    encryption: null,
    fileCount: 3,
    totalSize: 1_500_000,
    ...changes,
  }) as unknown as Transfer;

function eventsWith(transfer: Transfer, email = 'rex@example.org'): WebhookPayload[] {
  const download = {
    id: 'd',
    downloadedAt: NOW,
    completedAt: NOW,
    fileId: null,
    selectedFiles: null,
    recipientEmail: email,
  };
  return [
    { type: 'transfer.ready', timestamp: NOW, data: { transfer } },
    { type: 'transfer.viewed', timestamp: NOW, data: { transfer, view: { viewedAt: NOW, referer: null } } },
    { type: 'transfer.downloaded', timestamp: NOW, data: { transfer, download } },
    {
      type: 'transfer.downloaded',
      timestamp: NOW,
      data: { transfer, download: { ...download, recipientEmail: null, fileId: 'f' } },
    },
    {
      type: 'transfer.completed',
      timestamp: NOW,
      data: { transfer, recipient: { email, downloadedAt: NOW } },
    },
    { type: 'transfer.expired', timestamp: NOW, data: { transfer: { ...transfer, isExpired: true } } },
    {
      type: 'transfer.damaged',
      timestamp: NOW,
      data: { transfer, files: [{ id: 'f', relativePath: 'secret-name.txt' }], fileCount: 1 },
    },
    {
      type: 'invitation.received',
      timestamp: NOW,
      data: { transfer: { ...transfer, receivedFrom: email }, invitationId: null },
    },
    { type: 'test', timestamp: NOW, data: { webhookId: 'w', message: 'x' } },
  ];
}

const URLS: Record<MessageFormat, string> = {
  slack: 'https://hooks.slack.com/services/T0/B0/abcdefghijklmnop',
  teams:
    'https://prod-1.westus.logic.azure.com/workflows/0a/triggers/manual/paths/invoke?sig=abcdefghijklmnop',
  discord: 'https://discord.com/api/webhooks/1/abcdefghijklmnop',
  ntfy: 'https://ntfy.example.org/base/my-topic',
  gotify: 'https://gotify.example.org/?token=AbCdEf',
};

function compose(format: MessageFormat, event: WebhookPayload, language: Receiver['language'] = 'en') {
  const target = normaliseTarget(format, { url: URLS[format], accessToken: null });
  const sealedTarget = sealTarget({ secret: SECRET }, target);
  const webhook = { format, sealedTarget, language } as Receiver;
  const context = { secret: SECRET, publicUrl: 'https://files.example.org' };
  return composeMessage(context, format, { webhook, event: JSON.stringify(event) })!;
}

const ajv = new Ajv2020({ allErrors: true, strict: true });
addFormats.default(ajv);

const HOSTILE_TITLES = [
  '<!channel> <@U123> & <https://evil.example|here>',
  '@everyone <@&1> **bold** [x](https://evil.example) `code` ~~x~~ ||s|| :smile: \\',
  '# *x* _y_ {{DATE(2026-01-01T00:00:00Z)}} ![](https://evil.example/x.png)',
  '&<>'.repeat(200),
  '😀'.repeat(300),
  '日本語'.repeat(200),
];

for (const format of FORMATS)
  test(`${format}: every event in every language is what the service documents, whatever the title`, () => {
    const validate = ajv.compile(MESSAGE_SCHEMAS[format]);
    for (const title of ['Rushes', ...HOSTILE_TITLES])
      for (const language of title === 'Rushes' ? LANGUAGE_CODES : (['en'] as const))
        for (const event of eventsWith(transferOf({ title }), `${'x'.repeat(200)}<*_@example.org`)) {
          const { body } = compose(format, event, language);
          assert.ok(validate(JSON.parse(body)), `${event.type}: ${JSON.stringify(validate.errors)}\n${body}`);
          assert.ok(Buffer.byteLength(body) < 28 * 1024);
          assert.doesNotMatch(body, /SHARE-TOKEN|private message|secret-name/);
        }
  });

test('texts of users have no effect as markup in any service', () => {
  const textIn = (format: MessageFormat, title: string) =>
    JSON.parse(compose(format, eventsWith(transferOf({ title }))[0]!).body);
  const slack = textIn('slack', '<!channel> & *x*').blocks[1].text;
  assert.equal(slack.type, 'plain_text');
  assert.equal(slack.text, 'All files of “&lt;!channel&gt; &amp; *x*” have arrived.');
  const teams = textIn('teams', '**x** {{DATE(1)}}').attachments[0].content.body[1].inlines[0];
  assert.deepEqual(teams, { type: 'TextRun', text: 'All files of “**x** {{DATE(1)}}” have arrived.' });
  const discord = textIn('discord', '@everyone [x](https://e.org) *b*');
  assert.match(
    discord.embeds[0].description,
    /“\\@everyone \\\[x\\\]\\\(https\\:\\\/\\\/e\\\.org\\\) \\\*b\\\*”/,
  );
  assert.deepEqual(discord.allowed_mentions, { parse: [] });
  for (const plain of ['ntfy', 'gotify'] as const)
    assert.match(textIn(plain, '**x** <b>').message, /^All files of “\*\*x\*\* <b>” have arrived\.\n/);
});

test('messages are in the owner’s language and name an encrypted transfer without its names', () => {
  const encryption = { version: 1 } as never;
  const [ready] = eventsWith(transferOf({ title: null, encryption }));
  const { body } = compose('gotify', ready!, 'de');
  const { title, message } = JSON.parse(body) as { title: string; message: string };
  assert.notEqual(title, 'Transfer ready');
  assert.match(message, /Verschlüsselt/);
});

test('ntfy gets JSON at its base address and Gotify its token in a header', () => {
  const [event] = eventsWith(transferOf());
  const ntfy = compose('ntfy', event!);
  assert.equal(ntfy.url, 'https://ntfy.example.org/base');
  assert.equal(JSON.parse(ntfy.body).topic, 'my-topic');
  const gotify = compose('gotify', event!);
  assert.equal(gotify.url, 'https://gotify.example.org/message');
  const keyOf = (headers: { name: string; value: string }[]) =>
    headers.find(({ name }) => name === 'x-gotify-key')?.value;
  assert.deepEqual([keyOf(gotify.headers), keyOf(gotify.shownHeaders)], ['AbCdEf', '…']);
  assert.equal(new URL(compose('discord', event!).url).searchParams.get('wait'), 'true');
});

test('listed addresses show the host and at most the last four characters of a long secret', () => {
  assert.equal(maskAddress('slack', URLS.slack), 'https://hooks.slack.com/…mnop');
  assert.equal(maskAddress('ntfy', 'https://ntfy.sh/short'), 'https://ntfy.sh/…');
  assert.equal(maskAddress('sendwell', 'https://example.org/a?b'), 'https://example.org/a?b');
});

const answer = (status: number, body: string, headers: Record<string, string> = {}) => ({
  status,
  body,
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  isTruncated: false,
});

test('what services answer becomes a sentence in the owner’s language', () => {
  const cases: [MessageFormat, number, string, RegExp][] = [
    ['slack', 400, 'invalid_payload', /could not read the message/],
    ['slack', 404, 'no_service', /no longer knows this webhook/],
    ['slack', 410, 'channel_is_archived', /archived/],
    ['slack', 500, 'rollup_error', /^Slack responded with 500: rollup_error$/],
    ['teams', 404, '{"error":{"code":"WorkflowNotFound","message":"x"}}', /no longer knows this workflow/],
    ['teams', 400, '{"error":{"code":"Bad","message":"Not a card"}}', /400: Not a card$/],
    ['discord', 404, '{"message":"Unknown Webhook","code":10015}', /no longer knows this webhook/],
    ['discord', 429, '{"message":"rate limited","retry_after":1.5}', /no more messages for now/],
    ['discord', 400, '{"message":"Invalid Form Body","code":50035}', /400: Invalid Form Body$/],
    ['ntfy', 403, '{"code":40301,"http":403,"error":"forbidden"}', /access token/],
    ['gotify', 401, '{"error":"Unauthorized","errorCode":401}', /does not accept the token/],
    ['gotify', 502, '<html>', /^Gotify responded with 502\.$/],
  ];
  for (const [format, status, body, sentence] of cases)
    assert.match(explainAnswer(format, answer(status, body), 'en') ?? '', sentence);
  assert.equal(explainAnswer('slack', answer(200, 'ok'), 'en'), null);
  assert.equal(explainAnswer('discord', answer(204, ''), 'en'), null);
  assert.doesNotMatch(explainAnswer('gotify', answer(401, ''), 'de') ?? '', /does not accept/);
});

test('a pause is read from the header and from the JSON of Discord', () => {
  assert.equal(findRetryAfter(answer(429, '{"retry_after":64.57}', { 'Retry-After': '65' })), 65_000);
  assert.equal(findRetryAfter(answer(429, '{"retry_after":0.3}')), 300);
  assert.equal(
    findRetryAfter(answer(429, '', { 'retry-after': 'Wed, 25 Nov 2026 12:00:00 GMT' })),
    undefined,
  );
  assert.equal(findRetryAfter(answer(400, '{"retry_after":5}')), undefined);
});

test('texts are shortened between characters and escapes', () => {
  const escapeAmpersand = (each: string) => (each === '&' ? '&amp;' : each);
  assert.equal(escapeUpTo('abc', 3), 'abc');
  assert.equal(escapeUpTo('abcd', 3), 'ab…');
  assert.equal(escapeUpTo('a&&', 10, escapeAmpersand), 'a&amp;…');
  assert.equal(escapeUpTo('😀😀', 3), '😀…');
  assert.equal(cutBytes('日本語', 9), '日本語');
  assert.equal(cutBytes('日本語x', 9), '日本…');
});
