import type { BrowserContext, Page } from '@playwright/test';
import { sendInvitationCode, verifyInvitationCode } from '../../contracts/transfers/uploads/invitations.ts';
import { completeUpload, initUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { type NamedBytes, sha256 } from '../../testing/uploads/send-transfer.ts';
import { describeFile } from '../../testing/uploads/upload-files.ts';
import type { JourneyServer } from '../servers/journey-server.ts';
import { expect } from './fixtures.ts';

/** Selects files with the browser's picker. */
export async function chooseFiles(page: Page, paths: string | string[]): Promise<void> {
  await page.getByTestId('file-input').setInputFiles(paths);
}

export async function chooseFolder(page: Page, path: string): Promise<void> {
  await page.getByTestId('folder-input').setInputFiles(path);
}

/** After the listeners of pages, so that it sees their answer. */
const WATCH_DRAGS =
  "window.addEventListener('dragover', ({ dataTransfer }) => { window.dropEffect = dataTransfer.dropEffect; });";

/**
 * Drags files and folders from outside over the page and lets them fall, when the pointer shows that the page takes
 * them.
 */
export async function dropFiles(page: Page, paths: string[]): Promise<void> {
  await page.evaluate(WATCH_DRAGS);
  await drag(page, ['dragEnter'], paths);
  const hover = async () => {
    await drag(page, ['dragOver'], paths);
    return page.evaluate('window.dropEffect');
  };
  await expect.poll(hover).toBe('copy');
  await drag(page, ['drop'], paths);
}

/** For pages that do not take files. */
export async function dropRefusedFiles(page: Page, paths: string[]): Promise<void> {
  await drag(page, ['dragEnter', 'dragOver', 'drop'], paths);
}

/** Drags files over the page, or away again. */
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

/** Sends files only when Upload is pressed, as if the user had chosen that. */
export async function sendWhenSubmitted({ context }: { context: BrowserContext }): Promise<void> {
  await context.addInitScript("localStorage.setItem('send-ahead', 'off')");
}

/** Shows the fields for recipients. */
export async function shareByEmail(page: Page): Promise<void> {
  await page.getByRole('tab', { name: /^Email/ }).click();
}

/** Shows the fields for expiry, password, limit and schedule. */
export async function openOptions(page: Page): Promise<void> {
  const options = page.getByRole('button', { name: /^Options/ });
  if ((await options.getAttribute('aria-expanded')) === 'false') await options.click();
}

export async function startUpload(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
}

/** How long a busy machine may take to send the largest files of the journeys. */
export const UPLOAD_MS = 45_000;

/** Waits for the upload and returns the link on the page. */
export async function waitForLink(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Ready to share' });
  await expect(dialog).toBeVisible({ timeout: UPLOAD_MS });
  return dialog.getByRole('textbox', { name: 'Share link' }).inputValue();
}

/** The visible toast has this title and, if given, this text. */
export async function expectToast(page: Page, title: string, text?: string): Promise<void> {
  const region = page.locator('[data-toast-region]');
  await expect(region.getByText(title, { exact: true })).toBeVisible();
  if (text !== undefined) await expect(region.getByText(text, { exact: true })).toBeVisible();
}

type Delivery = {
  invitationToken: string;
  /** Each address is verified once per journey. */
  email: string;
  message?: string;
  /** Each fits into one chunk. */
  files: NamedBytes[];
};

/** Makes the calls of a visitor's page. Returns the ID of the owner's transfer. */
export async function deliverFiles(server: JourneyServer, delivery: Delivery): Promise<string> {
  const { invitationToken, email, message, files } = delivery;
  const visitor = server.anonymous();
  const params = { token: invitationToken };
  await visitor.call(sendInvitationCode, { params, body: { email } });
  const code = await server.findLink(email, 'visitor-code');
  await visitor.call(verifyInvitationCode, { params, body: { email, code } });
  const { transferId, uploads } = await visitor.call(initUploads, {
    body: { invitationToken, files: files.map(({ fileName, bytes }) => describeFile(fileName, bytes)) },
  });
  for (const [position, { uploadId }] of uploads.entries()) {
    const bytes = files[position]!.bytes;
    const response = await visitor.fetch(
      `/api/upload/chunk/${uploadId}/0?invitationToken=${invitationToken}`,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/octet-stream',
          'content-digest': `sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:`,
        },
        body: new Uint8Array(bytes),
      },
    );
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.body?.cancel();
    await visitor.call(completeUpload, {
      params: { uploadId },
      body: { invitationToken, fileCount: files.length, ...(message && { message }) },
    });
  }
  return transferId;
}
