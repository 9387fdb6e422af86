import {
  completeUploads,
  initUploads,
  type NewEncryption,
  putSealedKey,
} from '../../contracts/transfers/uploads/uploads.ts';
import type { Client } from '../calls/client.ts';
import {
  describeSealed,
  fileIdOf,
  makeAccess,
  makeSealed,
  makeSealedManifest,
  putSealed,
} from '../uploads/sealed-transfers.ts';
import { makeBytes, sendChunks } from '../uploads/upload-files.ts';

/** Has the shape of a sealed key; the server can't tell. */
export function makeSealedKey(seed = 'sealed key'): string {
  const bytes = makeBytes(65 + 32 + 16, seed);
  bytes[0] = 4;
  return bytes.toString('base64url');
}

/** An encrypted delivery of one file by a visitor, step by step. Its bytes are not really sealed. */
export class SealedDelivery {
  readonly client: Client;
  readonly encryption: NewEncryption;
  readonly accessKey: string;
  readonly fileName: string;
  readonly bytes: Buffer;
  transferId = '';
  uploadIds: string[] = [];
  readonly #query: { invitationToken: string };

  constructor(client: Client, invitationToken: string, { seed = 'delivery', size = 1_000 } = {}) {
    this.client = client;
    this.#query = { invitationToken };
    const { accessKey, encryption } = makeAccess(seed);
    this.accessKey = accessKey;
    this.encryption = encryption;
    this.fileName = fileIdOf(seed);
    this.bytes = makeSealed(size, seed);
  }

  async announce(): Promise<void> {
    const files = [describeSealed(this.fileName, this.bytes)];
    const body = { ...this.#query, encryption: this.encryption, files };
    const { transferId, uploads } = await this.client.call(initUploads, { body });
    this.transferId = transferId;
    this.uploadIds = uploads.map(({ uploadId }) => uploadId);
  }

  async send(): Promise<void> {
    for (const uploadId of this.uploadIds) await sendChunks(this.client, uploadId, this.bytes, this.#query);
  }

  /** Returns the response, also a refusal. */
  putDocument(bytes: Buffer = makeSealedManifest()): Promise<Response> {
    return putSealed(this.client, { transferId: this.transferId, revision: 1, bytes, ...this.#query });
  }

  putKey(sealedKey: string = makeSealedKey(), client: Client = this.client): Promise<undefined> {
    const { transferId } = this;
    return client.call(putSealedKey, { params: { transferId }, body: { ...this.#query, sealedKey } });
  }

  complete(settings: object = {}) {
    const { transferId, uploadIds } = this;
    const body = { ...this.#query, transferId, uploadIds, fileCount: uploadIds.length, ...settings };
    return this.client.call(completeUploads, { body });
  }

  /** Returns the transfer's ID. */
  async deliver(): Promise<string> {
    await this.announce();
    await this.send();
    const stored = await this.putDocument();
    if (!stored.ok) throw new Error(`manifest: ${stored.status} ${await stored.text()}`);
    await this.putKey();
    await this.complete();
    return this.transferId;
  }
}
