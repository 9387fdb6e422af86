import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../calls/client.ts';
import { RawConnection, writeHead } from '../network/raw-connection.ts';
import type { TestServer } from '../test-context.ts';
import type { PathBytes } from './visitor-uploads.ts';

type Form = { files: PathBytes[]; message?: string; field?: string };

const BOUNDARY = 'form-boundary';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export function formPath(invitationToken: string): string {
  return `/api/upload-invitations/${invitationToken}/upload`;
}

/** Sends files as one form. Returns the response, also a refusal. */
export function sendForm(
  client: Client,
  invitationToken: string,
  { files, message, field = 'files' }: Form,
): Promise<Response> {
  const body = new FormData();
  for (const { path, bytes } of files) body.append(field, new Blob([new Uint8Array(bytes)]), path);
  if (message !== undefined) body.append('message', message);
  const headers = { accept: 'application/json' };
  return client.fetch(formPath(invitationToken), { method: 'POST', headers, body });
}

/** A form that is sent piece by piece and may be left incomplete. */
export class RawForm {
  readonly connection: RawConnection;

  constructor(client: Client, invitationToken: string) {
    const path = formPath(invitationToken);
    this.connection = new RawConnection(Number(new URL(client.url).port));
    void this.connection.write(
      writeHead(`POST ${path}`, {
        cookie: client.jar.headerFor(path),
        'content-type': FORM_TYPE,
        'transfer-encoding': 'chunked',
      }),
    );
  }

  async write(bytes: Buffer | string): Promise<void> {
    const body = Buffer.from(bytes);
    await this.connection.write(`${body.length.toString(16)}\r\n`);
    await this.connection.write(body);
    await this.connection.write('\r\n');
  }

  beginFile(fileName: string): Promise<void> {
    return this.write(writePart(`name="files"; filename="${fileName}"`));
  }

  async end(): Promise<void> {
    await this.write(`\r\n--${BOUNDARY}--\r\n`);
    await this.connection.write('0\r\n\r\n');
  }
}

/** Ends the previous part and begins the next. */
export function writePart(disposition: string): string {
  return `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`;
}

/** Counts what remains of uploads: rows, blobs, reserved bytes, and files in the folder for incoming forms. */
export async function countLeft({ context, drainJobs }: TestServer) {
  await drainJobs();
  const { db, blobs, config } = context;
  const usage = await db.selectFrom('monthlyUsage').select('bytes').execute();
  return {
    transfers: (await db.selectFrom('transfers').select('id').execute()).length,
    uploads: (await db.selectFrom('uploads').select('id').execute()).length,
    blobs: (await Array.fromAsync(blobs.list())).length,
    arriving: (await readdir(join(config.dataDir, 'incoming'))).length,
    bytes: usage.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export const NOTHING_LEFT = { transfers: 0, uploads: 0, blobs: 0, arriving: 0, bytes: 0 };
