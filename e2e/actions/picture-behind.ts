import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { expectAccessible } from './accessibility.ts';
import { expect } from './fixtures.ts';

/** The highest value of each channel in the background picture as drawn, without the content above it. */
export async function measureLightest(page: Page): Promise<{ red: number; green: number; blue: number }> {
  const picture = page.getByTestId('page-background');
  await expect(picture.locator('img')).toHaveCSS('opacity', '1');
  // Decoding is asynchronous: a visible element may not be drawn yet.
  await picture
    .locator('img')
    .evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
  const setOthers = (display: string) =>
    picture.evaluate((element, value) => {
      const toasts = element.ownerDocument.querySelector('[data-toast-region]');
      for (const each of [...element.parentElement!.children, toasts])
        if (each && each !== element)
          (each as unknown as { style: { display: string } }).style.display = value;
    }, display);
  await setOthers('none');
  const { channels } = await sharp(await page.screenshot()).stats();
  await setOthers('');
  const [red, green, blue] = channels.map(({ max }) => max) as [number, number, number];
  return { red, green, blue };
}

/**
 * `expectAccessible` for pages over a picture. Axe ignores pictures when it checks contrast, and elements behind the
 * page, so the whole page gets a plain color as light as the picture's lightest pixel.
 */
export async function expectReadable(page: Page, name: string): Promise<void> {
  const { red, green, blue } = await measureLightest(page);
  await page.getByTestId('page-background').evaluate((element, colour) => {
    element.style.display = 'none';
    element.ownerDocument.body.style.background = colour;
  }, `rgb(${red} ${green} ${blue})`);
  await expectAccessible(page, name);
}
