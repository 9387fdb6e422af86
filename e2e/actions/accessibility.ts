import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Only these results depend on the theme. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const THEMES = ['dark', 'light'] as const;
const WINDOWS = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };
/** Colors in transition between the themes would be reported. */
const WAIT_FOR_COLOURS =
  'Promise.all(document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished.catch(() => {})))';

const SCROLL_TO_TOP = "window.scrollTo({ top: 0, behavior: 'instant' })";

/** Asserts that axe finds no violation in either theme, wide and narrow. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const [window, size] of Object.entries(WINDOWS)) {
    await page.setViewportSize(size);
    // At the old scroll position a control may be half under the header and count as too small.
    await page.evaluate(SCROLL_TO_TOP);
    for (const theme of THEMES) {
      await page.locator('html').evaluate((root, value) => root.setAttribute('data-theme', value), theme);
      await page.evaluate(WAIT_FOR_COLOURS);
      // The pages have no frames, for which the slower mode exists.
      const axe = new AxeBuilder({ page }).setLegacyMode();
      const { violations } = await (theme === THEMES[0]
        ? axe.withTags(RULES)
        : axe.withRules(RULES_OF_COLOURS)
      ).analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(describeNode).join(' | ')}`);
      expect.soft(found, `${name}, ${window}, ${theme}`).toEqual([]);
    }
  }
}

function describeNode({ target, failureSummary }: { target: unknown; failureSummary?: string }): string {
  return `${String(target)} (${failureSummary ?? ''})`;
}
