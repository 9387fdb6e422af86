import type { JsonSchema } from './schemas.ts';

type MediaTypes = Record<string, { schema?: JsonSchema }>;
type Header = { name: string; description: string; example: string };

/** Raw bodies of a call whose contract says 'stream'. */
export type Stream = {
  takes?: MediaTypes;
  takesHeaders?: Header[];
  givesHeaders?: Header[];
  gives?: MediaTypes;
  hasEtag?: boolean;
  /** Single ranges are supported. The response then has an ETag too. */
  hasRanges?: boolean;
};

const ANY_FILE: MediaTypes = { 'application/octet-stream': {} };
const WEBP: MediaTypes = { 'image/webp': {} };
const LOOK: MediaTypes = {
  ...WEBP,
  'text/plain': { schema: { type: 'string' } },
  'video/*': {},
  'audio/*': {},
};
const CSV: MediaTypes = { 'text/csv': { schema: { type: 'string' } } };
const FILE: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' };

const form = (properties: JsonSchema, required: string[], base?: JsonSchema): MediaTypes => {
  const fields = { type: 'object', properties, required };
  return { 'multipart/form-data': { schema: base ? { allOf: [base, fields] } : fields } };
};
const AD_FORM = form({ file: FILE }, [], { $ref: '#/components/schemas/AdInput' });

const TUS_RESUMABLE = {
  name: 'Tus-Resumable',
  description: 'The version of the protocol.',
  example: '1.0.0',
};
const UPLOAD_OFFSET = {
  name: 'Upload-Offset',
  description: 'Number of bytes stored so far, which is the offset of the next ones.',
  example: '5242880',
};
const UPLOAD_LENGTH = {
  name: 'Upload-Length',
  description: 'Size of the whole file in bytes.',
  example: '52428800',
};
const UPLOAD_METADATA = {
  name: 'Upload-Metadata',
  description: 'Names with Base64 values: `filename`, `filetype` and settings of the transfer.',
  example: 'filename aGVsbG8udHh0,filetype dGV4dC9wbGFpbg==',
};
const UPLOAD_CHECKSUM = {
  name: 'Upload-Checksum',
  description: 'The digest of these bytes. Bytes that do not match are refused.',
  example: 'sha256 RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=',
};
const OFFSET_STREAM: MediaTypes = { 'application/offset+octet-stream': {} };

const sealed = (name: string): Stream => ({
  gives: ANY_FILE,
  givesHeaders: [{ name, description: 'The revision of these bytes.', example: '1' }],
  hasRanges: true,
});
const SEALED_MANIFEST = sealed('Sendwell-Manifest-Revision');
const SEALED_PICTURES = sealed('Sendwell-Pictures-Revision');

export const STREAMS: Record<string, Stream> = {
  putManifest: { takes: ANY_FILE },
  putPictures: { takes: ANY_FILE },
  getManifest: SEALED_MANIFEST,
  getPictures: SEALED_PICTURES,
  getOwnManifest: SEALED_MANIFEST,
  getOwnPictures: SEALED_PICTURES,
  uploadChunk: {
    takes: ANY_FILE,
    takesHeaders: [
      {
        name: 'Content-Digest',
        description:
          'The digest of the chunk, `crc32` or `sha-256` (RFC 9530). Bytes that do not match are refused.',
        example: 'sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:',
      },
    ],
  },
  uploadToInvitation: { takes: form({ files: { type: 'array', items: FILE } }, ['files']) },
  setBackground: { takes: form({ background: FILE }, ['background']) },
  createAd: { takes: AD_FORM },
  updateAd: { takes: AD_FORM },
  unsubscribe: {
    takes: { 'application/x-www-form-urlencoded': {}, 'application/json': {} },
  },
  paymentWebhook: { takes: { 'application/json': {} } },
  swallowBody: { takes: ANY_FILE },
  downloadFile: { gives: { '*/*': {} }, hasRanges: true },
  downloadAll: { gives: { 'application/zip': {} }, hasRanges: true },
  downloadSelection: { gives: { 'application/zip': {} }, hasRanges: true },
  downloadVersion: { gives: { 'application/zip': {} }, hasRanges: true },
  downloadChecksums: { gives: { 'text/plain': { schema: { type: 'string' } } } },
  showThumbnail: { gives: WEBP, hasRanges: true },
  previewFile: { gives: LOOK, hasRanges: true },
  showPdfPage: { gives: WEBP, hasRanges: true },
  showOwnPdfPage: { gives: WEBP, hasRanges: true },
  showOwnThumbnail: { gives: WEBP, hasRanges: true },
  previewOwnFile: { gives: LOOK, hasRanges: true },
  showBackground: { gives: WEBP, hasRanges: true },
  showAdFile: { gives: { 'image/*': {}, 'video/*': {} }, hasRanges: true },
  exportTransferAnalytics: { gives: CSV },
  exportAnalytics: { gives: CSV },
  putFile: {
    takes: { '*/*': {} },
    gives: {
      'text/plain': { schema: { type: 'string', description: 'The link, followed by a line break.' } },
      'application/json': { schema: { $ref: '#/components/schemas/SentFile' } },
    },
  },
  discoverTus: { givesHeaders: [TUS_RESUMABLE] },
  createTusUpload: {
    takes: OFFSET_STREAM,
    takesHeaders: [TUS_RESUMABLE, UPLOAD_LENGTH, UPLOAD_METADATA, UPLOAD_CHECKSUM],
    givesHeaders: [
      TUS_RESUMABLE,
      {
        name: 'Location',
        description: 'The address to send the bytes to.',
        example: '/api/tus/0k3v9w2m7x5q1r8t6y4u0p2s3d',
      },
    ],
  },
  headTusUpload: {
    takesHeaders: [TUS_RESUMABLE],
    givesHeaders: [TUS_RESUMABLE, UPLOAD_OFFSET, UPLOAD_LENGTH],
  },
  patchTusUpload: {
    takes: OFFSET_STREAM,
    takesHeaders: [TUS_RESUMABLE, UPLOAD_OFFSET, UPLOAD_CHECKSUM],
    givesHeaders: [TUS_RESUMABLE, UPLOAD_OFFSET],
  },
  deleteTusUpload: { takesHeaders: [TUS_RESUMABLE], givesHeaders: [TUS_RESUMABLE] },
  overrideTusMethod: {
    takes: OFFSET_STREAM,
    takesHeaders: [
      TUS_RESUMABLE,
      { name: 'X-HTTP-Method-Override', description: '`PATCH` or `DELETE`.', example: 'PATCH' },
      UPLOAD_OFFSET,
    ],
    givesHeaders: [TUS_RESUMABLE],
  },
  getOpenApiDocument: { gives: { 'application/json': { schema: { type: 'object' } } }, hasEtag: true },
};
