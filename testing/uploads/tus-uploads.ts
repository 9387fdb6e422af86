import { type PreviousUpload, Upload, type UploadOptions, type UrlStorage } from 'tus-js-client';
import type { Client } from '../calls/client.ts';

/** Options for tus-js-client that retry immediately and send the client's cookies. */
export function tusOptions(client: Client, options: UploadOptions = {}): UploadOptions {
  return {
    endpoint: `${client.url}/api/tus`,
    headers: { cookie: client.jar.headerFor('/api/tus') ?? '' },
    retryDelays: Array.from({ length: 20 }, () => 50),
    ...options,
  };
}

export type TusResult = { upload: Upload; link: string; transferId: string };

/** Runs an upload to its end and returns what its last response says. Rejects with the error of tus-js-client. */
export function runTusUpload(
  bytes: Buffer,
  options: UploadOptions,
  begin: (upload: Upload) => Promise<void> | void = () => undefined,
): Promise<TusResult> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(bytes, {
      ...options,
      onError: reject,
      onSuccess: ({ lastResponse }) =>
        resolve({
          upload,
          link: lastResponse.getHeader('Sendwell-Share-Link') ?? '',
          transferId: lastResponse.getHeader('Sendwell-Transfer-Id') ?? '',
        }),
    });
    Promise.resolve(begin(upload)).then(() => upload.start(), reject);
  });
}

export function memoryUrlStorage(): UrlStorage {
  const uploads = new Map<string, { fingerprint: string; upload: PreviousUpload }>();
  return {
    findAllUploads: async () => [...uploads.values()].map(({ upload }) => upload),
    findUploadsByFingerprint: async (wanted) =>
      [...uploads.values()].filter(({ fingerprint }) => fingerprint === wanted).map(({ upload }) => upload),
    removeUpload: async (key) => void uploads.delete(key),
    addUpload: async (fingerprint, upload) => {
      const urlStorageKey = `${fingerprint} ${uploads.size}`;
      uploads.set(urlStorageKey, { fingerprint, upload: { ...upload, urlStorageKey } });
      return urlStorageKey;
    },
  };
}

export async function resumePrevious(upload: Upload): Promise<void> {
  const [previous] = await upload.findPreviousUploads();
  if (previous) upload.resumeFromPreviousUpload(previous);
}
