import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { expectAccessible } from './accessibility.ts';
import { expect } from './fixtures.ts';

/** Of each channel the highest value in the picture behind a page as it is drawn, without what stands over it. */
export async function measureLightest(page: Page): Promise<{ red: number; green: number; blue: number }> {
  const picture = page.getByTestId('page-background');
  await expect(picture.locator('img')).toHaveCSS('opacity', '1');
  // It is decoded beside the page: shown does not mean drawn yet.
  await picture
    .locator('img')
    .evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
  const setOthers = (display: string) =>
    picture.evaluate((element, value) => {
      for (const each of element.parentElement!.children)
        if (each !== element) (each as unknown as { style: { display: string } }).style.display = value;
    }, display);
  await setOthers('none');
  const { channels } = await sharp(await page.screenshot()).stats();
  await setOthers('');
  const [red, green, blue] = channels.map(({ max }) => max) as [number, number, number];
  return { red, green, blue };
}

/**
 * As `expectAccessible`, for a page with a picture behind it. The check of contrast does not look at pictures, so
 * it gets an even ground instead, as light as the lightest spot of the drawn one.
 */
export async function expectReadable(page: Page, name: string): Promise<void> {
  const { red, green, blue } = await measureLightest(page);
  await page.getByTestId('page-background').evaluate((element, colour) => {
    element.style.background = colour;
    element.replaceChildren();
  }, `rgb(${red} ${green} ${blue})`);
  await expectAccessible(page, name);
}
