import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  createTusUpload as createCall,
  deleteTusUpload,
  discoverTus,
  headTusUpload,
  overrideTusMethod,
  patchTusUpload,
  TUS_CHECKSUMS,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from '../../../../contracts/transfers/uploads/tus.ts';
import { shareLink } from '../../../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { acceptRawBody, drainBody, readContentLength } from '../../../platform/http/bodies/raw-body.ts';
import { formatHttpDate } from '../../../platform/http/bytes/http-date.ts';
import type { Identity } from '../../../platform/http/routing/identity.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { getTierConfig } from '../../tiers/index.ts';
import { abortUpload, UNFINISHED_LIFETIME_MS } from '../core/unfinished-uploads.ts';
import { scopeOf, uploaderOf } from '../core/uploader.ts';
import { carriesBytes, readChecksum, readUploadLength, readUploadOffset, requireVersion } from './headers.ts';
import {
  appendToTusUpload,
  completeEmptyUpload,
  createTusUpload,
  getTusState,
  getTusUpload,
  type TusState,
  type TusUpload,
} from './tus-uploads.ts';

type Call = Pick<Identity, 'user' | 'visitor'> & { request: FastifyRequest; reply: FastifyReply };

export async function tusRoutes(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (scope) => {
    acceptRawBody(scope);
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('tus-resumable', TUS_VERSION).header('cache-control', 'no-store');
    });
    // Clients use the path with and without a trailing slash.
    for (const path of [discoverTus.path, `${discoverTus.path}/`]) {
      route(scope, { ...discoverTus, path }, ({ reply }) => describeServer(context, reply));
      route(scope, { ...createCall, path }, (call) => drainOnRefusal(call, () => create(context, call)));
    }
    route(scope, headTusUpload, ({ params, ...call }) => head(context, call, params.uploadId));
    route(scope, patchTusUpload, ({ params, ...call }) =>
      drainOnRefusal(call, () => patch(context, call, params.uploadId)),
    );
    route(scope, deleteTusUpload, ({ params, ...call }) => remove(context, call, params.uploadId));
    route(scope, overrideTusMethod, ({ params, ...call }) =>
      drainOnRefusal(call, () => {
        const method = call.request.headers['x-http-method-override'];
        if (method === 'PATCH') return patch(context, call, params.uploadId);
        if (method === 'DELETE') return remove(context, call, params.uploadId);
        throw new AppError('tus_bad_header', { details: { name: 'X-HTTP-Method-Override' } });
      }),
    );
  });
}

async function describeServer(context: Context, reply: FastifyReply): Promise<void> {
  const plans = Object.values(await getTierConfig(context));
  reply.headers({
    'tus-version': TUS_VERSION,
    'tus-extension': TUS_EXTENSIONS.join(','),
    'tus-checksum-algorithm': TUS_CHECKSUMS.join(','),
    'tus-max-size': String(Math.max(...plans.map(({ storagePerTransfer }) => storagePerTransfer))),
  });
}

async function create(context: Context, call: Call): Promise<void> {
  const { request, reply } = call;
  const { headers } = request;
  requireTus(call);
  const uploader = uploaderOf(call);
  const sizeBytes = readUploadLength(headers);
  const withBytes = carriesBytes(headers);
  const metadata = headers['upload-metadata'];
  const upload = await createTusUpload(context, uploader, { sizeBytes, metadata: metadata?.toString() });
  reply.header('location', `${createCall.path}/${upload.id}`);
  if (sizeBytes === 0)
    setStateHeaders(context, reply, { upload, state: await completeEmptyUpload(context, uploader, upload) });
  else if (withBytes) await append(context, call, { upload, offset: 0 });
  else setStateHeaders(context, reply, { upload, state: { offset: 0, completed: undefined } });
}

async function head(context: Context, call: Call, uploadId: string): Promise<void> {
  requireTus(call);
  const uploader = uploaderOf(call);
  const upload = await getTusUpload(context, uploader, uploadId);
  const state = await getTusState(context, uploader, upload);
  setStateHeaders(context, call.reply, { upload, state });
  call.reply.header('upload-length', String(upload.sizeBytes));
  if (upload.metadata) call.reply.header('upload-metadata', upload.metadata);
}

async function patch(context: Context, call: Call, uploadId: string): Promise<void> {
  requireTus(call);
  const { headers } = call.request;
  const offset = readUploadOffset(headers);
  if (!carriesBytes(headers)) throw new AppError('unsupported_media_type');
  const upload = await getTusUpload(context, uploaderOf(call), uploadId);
  await append(context, call, { upload, offset });
}

async function remove(context: Context, call: Call, uploadId: string): Promise<void> {
  requireTus(call);
  const uploader = uploaderOf(call);
  const { id } = await getTusUpload(context, uploader, uploadId);
  await abortUpload(context, scopeOf(uploader), id);
}

async function append(
  context: Context,
  call: Call,
  { upload, offset }: { upload: TusUpload; offset: number },
): Promise<void> {
  const { raw, headers } = call.request;
  const checksum = readChecksum(headers);
  const declaredBytes = readContentLength(headers);
  const piece = { offset, stream: raw, declaredBytes, checksum, receivedBytes: () => raw.socket.bytesRead };
  const state = await appendToTusUpload(context, uploaderOf(call), { upload, piece });
  // Activity is recorded at most once a minute, so the upload lives at least this long.
  const lastActivityAt = Math.max(upload.lastActivityAt, context.clock.now() - MINUTE_MS);
  setStateHeaders(context, call.reply, {
    upload: state.offset > offset ? { ...upload, lastActivityAt } : upload,
    state,
  });
}

type Reported = { upload: TusUpload; state: TusState };

function setStateHeaders({ config }: Context, reply: FastifyReply, { upload, state }: Reported): void {
  const { offset, completed } = state;
  reply.header('upload-offset', String(offset)).header('sendwell-transfer-id', upload.transferId);
  if (completed) reply.header('sendwell-share-link', shareLink(config.publicUrl, completed.token));
  else reply.header('upload-expires', formatHttpDate(upload.lastActivityAt + UNFINISHED_LIFETIME_MS));
}

function requireTus({ request, reply }: Call): void {
  try {
    requireVersion(request.headers);
  } catch (error) {
    reply.header('tus-version', TUS_VERSION);
    throw error;
  }
}

async function drainOnRefusal(call: Call, answer: () => Promise<void>): Promise<void> {
  try {
    await answer();
  } catch (error) {
    drainBody(call.request);
    throw error;
  }
}
