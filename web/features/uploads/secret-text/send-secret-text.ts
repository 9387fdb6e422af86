import { type BytesRequest, sendSealedText } from '../../../../client/send-sealed-text.ts';
import { formatKey } from '../../../../encryption/link.ts';
import { SECRET_FILE_NAME, type SealedText, sealSecretText } from '../../../../encryption/secret-text.ts';
import { call } from '../../../api/call.ts';
import { linkWithKey } from '../../../key-ring/key-link.ts';
import { keepKey } from '../../../key-ring/key-ring.ts';
import { sendRequest } from '../../../uploading/encryption/sealed-documents.ts';
import { crc32 } from '../../../uploading/engine/crc32.ts';

export type SecretText = {
  text: string;
  title: string;
  password: string;
  expirationDays: number;
  maxDownloads: number;
};

export type SentSecretText = { transferId: string; link: string; key: string };

/** Sends secret texts of one user. */
export class SecretTextSender {
  readonly #owner: string;
  /** Of the last attempt, which another one with the same text continues. */
  #last: { input: string; sealed: SealedText } | undefined;

  constructor(owner: string) {
    this.#owner = owner;
  }

  /** Throws ApiError or NetworkError. */
  async send(secret: SecretText): Promise<SentSecretText> {
    const { title, expirationDays, maxDownloads } = secret;
    const { params, accessKeyHash, linkSecret, keys, ...sealed } = await this.#seal(secret);
    const { id, token } = await sendSealedText(
      { ...sealed, encryption: { ...params, accessKeyHash } },
      { expirationDays, maxDownloads },
      { call, sendBytes, crc32 },
    );
    this.#last = undefined;
    const key = formatKey(linkSecret);
    // Without storage, the link on the page is the only copy of the key.
    await keepKey({
      transferId: id,
      owner: this.#owner,
      key,
      params,
      keys,
      isDraft: false,
      revision: 1,
      title: title.trim() || null,
      firstFileName: SECRET_FILE_NAME,
      savedAt: Date.now(),
    }).catch(() => {});
    return { transferId: id, link: linkWithKey(token, key), key };
  }

  async #seal({ text, title, password }: SecretText): Promise<SealedText> {
    const input = JSON.stringify([text, title, password]);
    if (this.#last?.input !== input) {
      const sealed = await sealSecretText({ text, title, password: password || undefined });
      this.#last = { input, sealed };
    }
    return this.#last.sealed;
  }
}

async function sendBytes({ path, ...request }: BytesRequest): Promise<void> {
  const response = await sendRequest(path, request);
  await response.body?.cancel();
}
