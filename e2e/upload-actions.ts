import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** As with the browser's own picker. */
export async function chooseFiles(page: Page, paths: string | string[]): Promise<void> {
  await page.getByTestId('file-input').setInputFiles(paths);
}

export async function chooseFolder(page: Page, path: string): Promise<void> {
  await page.getByTestId('folder-input').setInputFiles(path);
}

/** Drags files and folders from outside over the page and lets them fall. */
export async function dropFiles(page: Page, paths: string[]): Promise<void> {
  await drag(page, ['dragEnter', 'dragOver', 'drop'], paths);
}

/** Holds files over the page, or takes them away again. */
export async function dragFiles(page: Page, paths: string[] | 'away'): Promise<void> {
  if (paths !== 'away') return drag(page, ['dragEnter', 'dragOver'], paths);
  await drag(page, ['dragCancel'], []);
  await page.mouse.move(200, 300);
}

type DragEventType = 'dragEnter' | 'dragOver' | 'drop' | 'dragCancel';

async function drag(page: Page, types: DragEventType[], files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of types) await session.send('Input.dispatchDragEvent', { type, x: 200, y: 400, data });
}

export async function startUpload(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
}

/** Waits until everything has arrived; returns the link that the page shows. */
export async function waitForLink(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Ready to share' });
  await expect(dialog).toBeVisible({ timeout: 45_000 });
  return dialog.getByRole('textbox', { name: 'Share link' }).inputValue();
}

/** The one toast on the screen has this title, and this text if one is given. */
export async function expectToast(page: Page, title: string, text?: string): Promise<void> {
  const region = page.locator('[data-toast-region]');
  await expect(region.getByText(title, { exact: true })).toBeVisible();
  if (text !== undefined) await expect(region.getByText(text, { exact: true })).toBeVisible();
}
