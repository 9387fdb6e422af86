/** `sendwell` is signed JSON for programs; the others are messages for people, made for one service. */
export const WEBHOOK_FORMATS = ['sendwell', 'slack', 'teams', 'discord', 'ntfy', 'gotify'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export const FORMAT_NAMES: Record<WebhookFormat, string> = {
  sendwell: 'Sendwell',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  ntfy: 'ntfy',
  gotify: 'Gotify',
};

export const ACCESS_TOKEN_MAX = 200;

/** Whether requests can carry a token of their own: optional for ntfy, needed for Gotify. */
export function hasAccessToken(format: WebhookFormat): boolean {
  return format === 'ntfy' || format === 'gotify';
}

/** What is wrong with the address of a format, in a sentence. The server also checks where it leads. */
export function findAddressProblem(format: WebhookFormat, text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (!url) return undefined;
  if (format === 'slack' && !isOf(url, SLACK_HOSTS, /^\/services\/\w+\/\w+\/\w+$/))
    return 'Please enter the webhook URL of Slack: https://hooks.slack.com/services/…';
  if (format === 'teams' && url.hostname.endsWith('.webhook.office.com'))
    return 'Microsoft has retired these connectors. Please create a webhook with the Workflows app in Teams.';
  if (
    format === 'teams' &&
    !(isOf(url, TEAMS_HOSTS, /\/workflows\/\w+\/triggers\//) && hasParameter(url, 'sig'))
  )
    return 'Please enter the whole URL that the Workflows app in Teams shows, including the part after the question mark.';
  if (format === 'discord' && !isOf(url, DISCORD_HOSTS, /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+$/))
    return 'Please enter the webhook URL of Discord: https://discord.com/api/webhooks/…';
  if (format === 'ntfy' && !/\/[-\w]{1,64}\/?$/.test(url.pathname))
    return 'Please enter the address of a topic, for example https://ntfy.sh/my-topic';
  return undefined;
}

const SLACK_HOSTS = /^hooks\.slack(-gov)?\.com$/;
const TEAMS_HOSTS = /\.(logic\.azure\.(com|us)|api\.powerplatform\.(com|us))$/;
const DISCORD_HOSTS = /^((ptb|canary)\.)?discord(app)?\.com$/;

/** A relay in the own network, which the rules for private addresses allow or refuse. */
const IP_ADDRESS = /^(\[.*\]|[\d.]+)$/;

function isOf({ hostname, pathname }: URL, hosts: RegExp, path: RegExp): boolean {
  return (hosts.test(hostname) || IP_ADDRESS.test(hostname)) && path.test(pathname);
}

function hasParameter({ searchParams }: URL, name: string): boolean {
  return Boolean(searchParams.get(name));
}
