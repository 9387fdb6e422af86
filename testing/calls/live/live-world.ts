import type { TestContext } from 'node:test';
import type { NamedEndpoint } from '../../../contracts/all-endpoints.ts';
import { createReadyTransfer, type ReadyTransfer } from '../../factories.ts';
import { createSeenTransfer } from '../../storage/seen-files.ts';
import { startTestServer, type TestServer } from '../../test-context.ts';
import { makePdfOfPages, makePicture } from '../../uploads/hostile-files.ts';
import {
  makeSealed,
  putSealed,
  type SealedTransfer,
  sendSealedTransfer,
} from '../../uploads/sealed-transfers.ts';
import { announceFile, sendChunks } from '../../uploads/upload-files.ts';
import { WITH_LOOPBACK } from '../../webhooks/webhooks.ts';
import { createApiKey } from '../api-keys.ts';
import type { Client } from '../client.ts';

export type Wanted = {
  /** By default a client with an API key of prem, or with prem's session if the call accepts no keys. */
  caller?: Client;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  form?: FormData;
  raw?: { type: string; bytes: string | Uint8Array<ArrayBuffer> };
  headers?: Record<string, string>;
};

/** Nothing listens there: some calls need a server that sends mails, but none needs them sent. */
const NO_MAIL_SERVER = 'smtp://127.0.0.1:9';

export type LiveCall = (world: LiveWorld) => Wanted | Promise<Wanted>;

/** A server, and the objects that calls need, created on demand. */
export class LiveWorld {
  readonly server: TestServer;
  readonly t: TestContext;
  readonly prem: Client;

  private constructor(t: TestContext, server: TestServer, prem: Client) {
    this.t = t;
    this.server = server;
    this.prem = prem;
  }

  static async open(t: TestContext): Promise<LiveWorld> {
    const server = await startTestServer(t, { ...WITH_LOOPBACK, SMTP_URL: NO_MAIL_SERVER });
    return new LiveWorld(t, server, await server.signIn('prem'));
  }

  async key(): Promise<{ client: Client; key: string; headers: Record<string, string> }> {
    const { key, headers } = await createApiKey(this.server.context, this.server.userId('prem'));
    return { client: this.server.anonymous(), key, headers };
  }

  /** A transfer of prem with a text file, without previews or checksums yet. */
  transfer(
    settings: { password?: string; recipientEmails?: string[]; expiresAt?: number } = {},
  ): Promise<ReadyTransfer> {
    return createReadyTransfer(this.server.context, { ...this.#newTransfer(), ...settings });
  }

  /** A transfer of prem with a picture, previews and checksums. */
  async seenTransfer(): Promise<ReadyTransfer> {
    const bytes = await makePicture('png', { width: 60, height: 40 });
    const files = [{ path: 'picture.png', bytes, mimeType: 'image/png' }, ...this.#newTransfer().files];
    return createSeenTransfer(this.server, { ...this.#newTransfer(), files });
  }

  /** Like `seenTransfer`, with a PDF of two pages. */
  async seenDocument(): Promise<ReadyTransfer> {
    const bytes = makePdfOfPages(['[0 0 300 200]', '[0 0 300 200]']);
    const files = [{ path: 'plan.pdf', bytes, mimeType: 'application/pdf' }];
    return createSeenTransfer(this.server, { ...this.#newTransfer(), files });
  }

  /** An encrypted transfer of prem with sealed thumbnails. */
  async sealedTransfer(): Promise<SealedTransfer> {
    const sent = await sendSealedTransfer(this.prem);
    const pictures = { transferId: sent.id, revision: 1, bytes: makeSealed(100), kind: 'pictures' } as const;
    await putSealed(this.prem, pictures);
    return sent;
  }

  async sentUpload(): Promise<{ uploadId: string; transferId: string }> {
    const bytes = Buffer.from('Hello, world!');
    const session = await announceFile(this.prem, 'hello.txt', bytes);
    await sendChunks(this.prem, session.uploadId, bytes);
    return session;
  }

  #newTransfer() {
    return {
      userId: this.server.userId('prem'),
      title: 'Studio pictures',
      files: [{ path: 'notes/hello.txt', bytes: 'Hello, world!', mimeType: 'text/plain' }],
    };
  }
}

export function routeOf({ endpoint: { method, path } }: Pick<NamedEndpoint, 'endpoint'>): string {
  return `${method} ${path}`;
}
