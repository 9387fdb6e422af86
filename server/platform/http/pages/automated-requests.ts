import type { FastifyRequest } from 'fastify';

type Headers = Pick<FastifyRequest, 'headers'>;

/** Browsers and mail scanners fetch pages that nobody has opened. */
export function isPrefetch({ headers }: Headers): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-moz']];
  return purposes.some((purpose) => purpose !== undefined && String(purpose).startsWith('prefetch'));
}

/** No person looks at the answer, so it must not count as a view. */
export function isAutomated(request: Headers): boolean {
  return isPrefetch(request) || isBot(request.headers['user-agent'] ?? '');
}

/**
 * Parts of the `User-Agent` of programs that follow links by themselves. Command-line clients such as curl are not
 * listed, because people run them. Real browsers never contain these words.
 */
const BOTS = [
  // Slackbot, Twitterbot, TelegramBot, Discordbot, Googlebot, Applebot and most others; not the phones of CUBOT.
  '(?<!cu)bot\\b',
  'crawler',
  'spider',
  // Link previews of messengers and social networks.
  'facebookexternalhit',
  'facebookcatalog',
  'meta-externalagent',
  'meta-externalfetcher',
  '^WhatsApp/',
  '^Viber\\b',
  '^Signal\\b',
  'SkypeUriPreview',
  'MicrosoftPreview',
  'BingPreview',
  'Slack-ImgProxy',
  'kakaotalk-scrap',
  'vkShare',
  'Snap URL Preview',
  'Google-(?:InspectionTool|PageRenderer|Safety|Read-Aloud)',
  'GoogleImageProxy',
  'GoogleOther',
  'Iframely',
  'Embedly',
  'Mastodon/',
  'Pleroma',
  'Zoom(?:Link)?Preview',
  // Scanners of mail gateways.
  'Barracuda',
  'Proofpoint',
  'Mimecast',
  'Trend ?Micro',
  'Symantec',
  'FireEye',
  'FortiGuard',
  'ForcePoint',
  'Sophos',
  'SafeLinks',
  'CloudMark',
  'Zscaler',
  'urlscan',
  'VirusTotal',
  // Browsers without a window.
  'HeadlessChrome',
  'PhantomJS',
];

const BOT = new RegExp(BOTS.join('|'), 'i');

function isBot(userAgent: string): boolean {
  return BOT.test(userAgent);
}
