import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export const NO_ROOM = 'navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });';

const PICKERS = `
  window.showDirectoryPicker = () => navigator.storage.getDirectory();
  window.showSaveFilePicker = async ({ suggestedName }) =>
    (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });`;

/** Tests can't use the browser's pickers, so they give out the origin's private storage. */
export const PICK_PRIVATE_PLACES = PICKERS + NO_ROOM;

/** The browser announces more room than it has. */
export const FULL_STORAGE = `${PICKERS}
  navigator.storage.estimate = async () => ({ quota: 2 ** 40, usage: 0 });`;

/** As browsers other than Chromium. */
export const NO_PICKERS = 'delete window.showDirectoryPicker; delete window.showSaveFilePicker;';
export const NO_SERVICE_WORKER = 'delete Navigator.prototype.serviceWorker;';

export async function openEncrypted(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Transfer Information' })).toBeVisible();
}

export async function saveAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Save All Files/ }).click();
}

/**
 * SHA-256 in hex by path, of what the page wrote into the private storage. Leaves out a file that the browser replaces
 * meanwhile, because the page closes it.
 */
export function hashPrivateFiles(page: Page): Promise<Record<string, string>> {
  return page.evaluate(`(async () => {
    const found = {};
    const visit = async (folder, prefix) => {
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind === 'directory') await visit(handle, prefix + name + '/');
        else {
          const bytes = await handle
            .getFile()
            .then((file) => file.arrayBuffer())
            .catch((error) => {
              if (error.name !== 'NotFoundError') throw error;
            });
          if (!bytes) continue;
          const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
          found[prefix + name] = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
        }
      }
    };
    await visit(await navigator.storage.getDirectory(), '');
    return found;
  })()`);
}
