import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { LANGUAGE_CODES, LANGUAGES } from '../../contracts/values/language/languages.ts';
import { migrateToLatest } from '../../server/platform/db/migrate.ts';
import { type Db, openDatabase } from '../../server/platform/db/open.ts';
import { MAIL_KINDS, type MailKind } from '../../server/platform/mail/kinds.ts';
import { composeSampleMail, type SampleWords } from '../../testing/calls/sample-mails.ts';
import { runAxe } from '../actions/accessibility.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const WIDTHS = { wide: 700, narrow: 390 };
const THEMES = ['light', 'dark'] as const;

/** The worst that people may have written. */
const HOSTILE: SampleWords = {
  senderName: `<script>alert(1)</script>"'\u202Egnp.exe ${'W'.repeat(60)}`,
  title: `</title><img src="https://evil.example.net/x.png"> ${'Verylongword'.repeat(12)}`,
  message: `<a href="https://evil.example.net">click</a>\r\n${'x'.repeat(400)}\u2028🏳️‍🌈 \u202Etxt.exe`,
  fileNames: [`${'n'.repeat(240)}.txt`, '<b>bold</b>.html', 'invoice\u202Efdp.exe', 'العقد.pdf'],
};

let folder: string;
let db: Db;
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sendwell-mails-'));
  db = await openDatabase({ file: join(folder, 'mails.db') });
  await migrateToLatest(db);
});
test.afterAll(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true });
});

for (const kind of MAIL_KINDS) {
  test(`the email "${kind}" fits every width without external requests`, {
    tag: '@all',
  }, async ({ page }) => {
    await expectWellShown(page, kind);
  });
}

for (const language of LANGUAGE_CODES) {
  test(`emails in ${LANGUAGES[language]} fit a phone`, { tag: '@all' }, async ({ page }) => {
    await page.setViewportSize({ width: WIDTHS.narrow, height: 800 });
    for (const kind of MAIL_KINDS) {
      const { html } = await composeSampleMail(db, kind, { language });
      await page.setContent(html);
      await expect(page.locator('html')).toHaveAttribute('lang', language);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect.soft(overflow, `${kind} scrolls sideways`).toBeLessThanOrEqual(0);
    }
  });
}

test('hostile text cannot break an email', async ({ page }) => {
  await expectWellShown(page, 'transfer-ready', { name: 'transfer-ready-hostile', words: HOSTILE });
  await expect(page.locator('script, img, b')).toHaveCount(0);
  await expect(page.getByText('<b>bold</b>.html')).toBeVisible();
  expect(await page.content()).not.toContain('\u202E');
});

test('an email without title and message has no gap', { tag: '@all' }, async ({ page }) => {
  const words = { title: null, message: null, fileNames: ['One file.pdf'] };
  await expectWellShown(page, 'transfer-ready', { name: 'transfer-ready-bare', words });
  await expect(page.getByRole('heading', { name: 'One file.pdf' })).toBeVisible();
});

test('an email is readable without styles', { tag: '@all' }, async ({ page }) => {
  const { html } = await composeSampleMail(db, 'transfer-ready');
  await page.setContent(html.replaceAll(/ style="[^"]*"| class="[^"]*"|<style>.*?<\/style>/gs, ''));
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expect(page.getByRole('link', { name: 'Download' })).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('unstyled.png'), fullPage: true });
});

async function expectWellShown(
  page: Page,
  kind: MailKind,
  { name = kind, words = {} }: { name?: string; words?: SampleWords } = {},
): Promise<void> {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const { html } = await composeSampleMail(db, kind, words);
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    for (const [window, width] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width, height: 800 });
      await page.setContent(html);
      const label = `${name}-${window}-${colorScheme}`;
      // A mail program supplies the landmarks.
      const rules = { region: { enabled: false }, 'landmark-one-main': { enabled: false } };
      const violations = await runAxe(page, { type: 'tag', values: RULES }, { rules });
      expect
        .soft(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html: at }) => at)}`),
          label,
        )
        .toEqual([]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect.soft(overflow, `${label} scrolls sideways`).toBeLessThanOrEqual(0);
      for (const link of await page.getByRole('link').all())
        expect
          .soft((await link.boundingBox())?.height, `${label}: a link to press`)
          .toBeGreaterThanOrEqual(24);
      await page.screenshot({ path: test.info().outputPath(`${label}.png`), fullPage: true });
    }
  }
  expect(requests).toEqual([]);
}
