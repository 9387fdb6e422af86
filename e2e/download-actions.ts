import type { Download, Locator, Page } from '@playwright/test';

/** A file's or folder's line on the download page. */
export function row(page: Page, name: string): Locator {
  return page.getByRole('listitem').filter({ hasText: name });
}

export function tick(page: Page, name: string): Locator {
  return page.getByRole('checkbox', { name: `Choose ${name}` });
}

export function selectAll(page: Page): Locator {
  return page.getByRole('checkbox', { name: 'Select all' });
}

/** 'Download 3 files (2 MB)': what was chosen. */
export function chosenButton(page: Page): Locator {
  return page.getByRole('button', { name: /^Download [\d,]+ files? \(/ });
}

/** What comes down after a deed. */
export async function downloadAfter(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}
