import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { Id } from '../../values/fields.ts';

/**
 * tus 1.0, a protocol for resumable uploads. Most of it is in headers, which a contract does not describe; see
 * docs/decisions/0013-tus-on-the-same-engine.md.
 */
export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = ['creation', 'creation-with-upload', 'expiration', 'termination', 'checksum'];
/** For `Upload-Checksum`. Node uses the same names, except for CRC-32. */
export const TUS_CHECKSUMS = ['sha1', 'sha256', 'md5', 'crc32'] as const;

const TusUpload = z.object({ uploadId: Id.describe('The id of an upload, as listed by `listUploads`.') });

export const discoverTus = defineEndpoint({
  method: 'OPTIONS',
  path: '/api/tus',
  access: 'public',
  summary:
    'Capabilities of this tus server: Tus-Version, Tus-Extension, Tus-Checksum-Algorithm, Tus-Max-Size',
  response: 'empty',
});

export const createTusUpload = defineEndpoint({
  method: 'POST',
  path: '/api/tus',
  access: 'signed-in',
  summary:
    'tus: announce a file of Upload-Length bytes with its Upload-Metadata, perhaps with its first bytes',
  body: 'stream',
  response: 'empty',
  status: 201,
});

export const headTusUpload = defineEndpoint({
  method: 'HEAD',
  path: '/api/tus/:uploadId',
  access: 'signed-in',
  // A key that can upload must be able to ask for the offset.
  keyScope: 'write',
  summary: 'tus: Upload-Offset, the bytes that are stored; of a complete file also its share link',
  params: TusUpload,
  response: 'empty',
  status: 200,
});

export const patchTusUpload = defineEndpoint({
  method: 'PATCH',
  path: '/api/tus/:uploadId',
  access: 'signed-in',
  summary: 'tus: send bytes from Upload-Offset on; the last ones make the file part of its transfer',
  params: TusUpload,
  body: 'stream',
  response: 'empty',
});

export const deleteTusUpload = defineEndpoint({
  method: 'DELETE',
  path: '/api/tus/:uploadId',
  access: 'signed-in',
  summary: 'tus: cancel an unfinished upload and release its reserved size',
  params: TusUpload,
  response: 'empty',
});

export const overrideTusMethod = defineEndpoint({
  method: 'POST',
  path: '/api/tus/:uploadId',
  access: 'signed-in',
  summary: 'tus: PATCH or DELETE, according to X-HTTP-Method-Override',
  description: 'For clients behind a proxy that only passes GET and POST.',
  params: TusUpload,
  body: 'stream',
  response: 'empty',
});
