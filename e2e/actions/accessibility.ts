import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { isShortRun } from '../../testing/lib/only-in-all.ts';
import { expect } from './fixtures.ts';

export const WCAG_AA: axe.RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
};
/** Only these results depend on the theme. */
const RULES_OF_COLORS: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
const THEMES = ['dark', 'light'] as const;
const WINDOWS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;
/**
 * Colors in transition would be reported. An inherited color starts its transition when that of the parent ends.
 */
const FINISH_TRANSITIONS = `for (;;) {
  const running = document.getAnimations().filter((each) => each instanceof CSSTransition);
  if (running.length === 0) break;
  for (const each of running) each.finish();
}`;

/** Without transitions, because those of all elements of a page take longer than axe. */
const showTheme = (theme: string) => `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { transition: none !important }');
  document.adoptedStyleSheets.push(sheet);
  document.documentElement.dataset.theme = '${theme}';
  // Applies the colors of the theme while the style sheet is there.
  document.body.getBoundingClientRect();
  document.adoptedStyleSheets.pop();
}`;

const SCROLL_TO_TOP = "window.scrollTo({ top: 0, behavior: 'instant' })";

/** Unlike `requestAnimationFrame`, it also resolves while a journey holds the clock. */
const NEXT_FRAME = `new Promise((resolve) => {
  new IntersectionObserver((_, observer) => {
    observer.disconnect();
    resolve();
  }).observe(document.documentElement);
})`;

/** Viewport units, such as the gutter's, keep their values of the old size until a frame has begun with the new one. */
export async function resizeWindow(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  // The first may have begun before.
  for (let frame = 0; frame < 2; frame += 1) await page.evaluate(NEXT_FRAME);
}

export async function finishTransitions(page: Page): Promise<void> {
  await page.evaluate(FINISH_TRANSITIONS);
}

/**
 * Asserts that axe finds no violation in either theme, wide and narrow. `npm test` checks only the wide window in the
 * dark theme, because axe is the largest part of what these journeys cost.
 */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  const windows = isShortRun ? [WINDOWS[0]] : WINDOWS;
  const themes = isShortRun ? [THEMES[0]] : THEMES;
  for (const size of windows) {
    await resizeWindow(page, size);
    // At the old scroll position a control may be half under the header and count as too small.
    await page.evaluate(SCROLL_TO_TOP);
    for (const theme of themes) {
      await page.evaluate(showTheme(theme));
      await finishTransitions(page);
      const violations = await runAxe(page, theme === THEMES[0] ? WCAG_AA : RULES_OF_COLORS);
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(describeNode).join(' | ')}`);
      expect.soft(found, `${name}, ${size.width} px, ${theme}`).toEqual([]);
    }
  }
}

/** The elements that reach over the right edge of a page that scrolls sideways. */
const OVERHANGING = `(() => {
  const { scrollWidth } = document.documentElement;
  if (scrollWidth <= innerWidth) return [];
  const reaching = [...document.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > innerWidth);
  return [scrollWidth + ' px of ' + innerWidth, ...reaching.map((each) => each.cloneNode().outerHTML.slice(0, 200))];
})()`;

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate(OVERHANGING)).toEqual([]);
}

type AxeOptions = Pick<axe.RunOptions, 'rules'> & {
  /** CSS selector of the part to check; by default the document. */
  within?: string;
};

/** Loads axe once per document and collects only violations, which is faster than its package for Playwright. */
export async function runAxe(
  page: Page,
  runOnly: axe.RunOnly,
  { within, rules = {} }: AxeOptions = {},
): Promise<axe.Result[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const context = within === undefined ? 'document' : JSON.stringify(within);
  const options: axe.RunOptions = { runOnly, rules, resultTypes: ['violations'] };
  return page.evaluate(
    `axe.run(${context}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
}

function describeNode({ target, failureSummary }: axe.NodeResult): string {
  return `${String(target)} (${failureSummary ?? ''})`;
}
