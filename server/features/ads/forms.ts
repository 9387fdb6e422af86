import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AD_VIDEO_MAX_BYTES, AdInput } from '../../../contracts/plans/ads.ts';
import { KIB } from '../../../contracts/values/sizes.ts';
import { invalidInput } from '../../platform/http/invalid-input.ts';
import { type ReceivedForm, receiveFiles } from '../../platform/http/multipart-file.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { videoTooLarge } from './files.ts';

/** More than any field may have, so that a longer one is refused and not cut off. */
const MAX_TEXT_BYTES = 16 * KIB;

/** A file in its temporary place. */
export type AdUpload = {
  fileName: string;
  sizeBytes: number;
  /** Bytes `start` to `end` (exclusive, more than `start`). */
  read(start: number, end: number): Readable;
};

export type AdForm = {
  input: AdInput;
  /** undefined: none was chosen. */
  upload: AdUpload | undefined;
  /** Gives the temporary place back; to be called whatever happens. */
  drop(): Promise<void>;
};

/**
 * Receives the form of an ad; whatever goes wrong, nothing stays. Throws AppError `invalid_input` with the fields'
 * errors, `malformed_form`, `body_too_large`, `unsupported_media_type`, `storage_full`.
 */
export async function receiveAdForm(request: FastifyRequest, folder: string): Promise<AdForm> {
  const form = await receiveFiles(request, {
    fields: ['file'],
    maxTextBytes: MAX_TEXT_BYTES,
    watch: watchOneFile(),
    folder,
  });
  const input = AdInput.safeParse(Object.fromEntries(form.fields));
  if (input.success) return { input: input.data, upload: findUpload(form), drop: form.drop };
  await form.drop();
  throw invalidInput(input.error);
}

function watchOneFile() {
  let files = 0;
  return () => {
    files += 1;
    if (files > 1) throw new AppError('malformed_form');
    let sizeBytes = 0;
    return (bytes: number) => {
      sizeBytes += bytes;
      if (sizeBytes > AD_VIDEO_MAX_BYTES) throw videoTooLarge();
    };
  };
}

function findUpload({ files: [file], read }: ReceivedForm): AdUpload | undefined {
  if (!file) return undefined;
  const { fileName, sizeBytes } = file;
  return { fileName, sizeBytes, read: (start, end) => read(file, start, end) };
}
