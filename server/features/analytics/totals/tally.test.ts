import assert from 'node:assert/strict';
import test from 'node:test';
import type { Device } from '../../../../contracts/analytics.ts';
import { deviceOf } from './tally.ts';

const AGENTS: Record<Device, (string | null)[]> = {
  desktop: [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  ],
  mobile: [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
  ],
  tablet: [
    'Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Android 14; Tablet; rv:140.0) Gecko/140.0 Firefox/140.0',
  ],
  other: [
    null,
    '',
    'curl/8.5.0',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) Chrome/140.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1)',
    'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0.0.0',
    '\u0000<script>',
  ],
};

for (const [device, agents] of Object.entries(AGENTS)) {
  test(`recognizes user agents: ${device}`, () => {
    for (const agent of agents) assert.equal(deviceOf(agent), device, agent ?? 'none');
  });
}

test('a hostile user agent does not slow down parsing', () => {
  // A pattern with catastrophic backtracking would never return.
  for (const word of ['android ', 'mobi', 'linux ', 'a']) deviceOf(word.repeat(100_000));
});
