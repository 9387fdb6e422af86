import type { FastifyRequest } from 'fastify';
import { chunkLength, MESSAGE_MAX, planChunks } from '../../../contracts/plans/limits.ts';
import { isSettingName } from '../../../contracts/transfers/text-settings.ts';
import { TransferSettings } from '../../../contracts/transfers/transfers.ts';
import { UploadRequest } from '../../../contracts/transfers/uploads.ts';
import { normalisePath } from '../../../contracts/values/file-names.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import type { InvitationRow, UploadRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Visitor } from '../../platform/http/identity.ts';
import { invalidInput } from '../../platform/http/invalid-input.ts';
import { type FormFile, type ReceivedForm, receiveFiles } from '../../platform/http/multipart-file.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { findUsed, limitsOfInvitation, scopeOfRoom } from '../invitations/index.ts';
import { getTierConfig, limitsOf } from '../tiers/index.ts';
import { removeTransfer } from '../transfers/index.ts';
import { announceUploads } from './announcements.ts';
import { countReceivedBytes } from './chunk-garbage.ts';
import { receiveChunk } from './chunks.ts';
import { completeUploads } from './completion.ts';
import { requireFreeSpace } from './disk-reservations.ts';
import { type FormRoom, openFormRoom } from './form-room.ts';
import { scopeOf, type Uploader } from './uploader.ts';

/** PHP's clients and their like write the brackets of a list. */
const FILE_FIELDS = ['files', 'files[]'];
/** A character more than a message may have, so that a longer one is refused and not cut off. */
const MAX_TEXT_BYTES = 4 * (MESSAGE_MAX + 1);
const SPACE_ASKED_EVERY_BYTES = 64 * MIB;

type FormCall = {
  uploader: Uploader & { visitor: Visitor };
  invitation: InvitationRow;
  request: FastifyRequest;
  /** Where files lie while they arrive: an upload begins when all sizes are known. */
  folder: string;
};

type Delivery = { files: { name: string; size: number }[]; totalSize: number };

/**
 * Takes the files of one form as one delivery: all of them or, whatever goes wrong and when the client leaves
 * before the end, none. Throws AppError `no_files`, `malformed_form`, `unsupported_media_type`, `invalid_input`,
 * the refusals of `findInvitationBreach` at the first byte too many, and what announcing and completing throw.
 */
export async function uploadForm(context: Context, call: FormCall): Promise<Delivery> {
  const { uploader, request } = call;
  const form = await receiveForm(context, call);
  try {
    const { socket } = request.raw;
    // What follows takes as long as it takes, and the client has nothing to say meanwhile.
    socket.setTimeout(0);
    const settings = parseSettings(form.fields);
    const files = form.files.map(describeFile);
    if (files.length === 0) throw new AppError('no_files');
    const uploads = await announceUploads(context, uploader, { files, field: 'files' });
    await allOrNothing(context, uploads, async () => {
      await storeFiles(context, { uploader, uploads, form, isGone: () => socket.destroyed });
      await completeUploads(context, uploader, {
        uploadIds: uploads.map(({ id }) => id),
        transferId: undefined,
        fileCount: uploads.length,
        settings,
      });
    });
    return presentDelivery(uploads);
  } finally {
    await form.drop();
  }
}

async function receiveForm(context: Context, call: FormCall): Promise<ReceivedForm> {
  const { request, folder } = call;
  await requireFreeSpace(context, Number(request.headers['content-length'] ?? 0));
  const room = await openRoom(context, call);
  let untilAsked = SPACE_ASKED_EVERY_BYTES;
  const watch = (fileName: string) => {
    const count = room.enter(lastSegment(fileName));
    return async (bytes: number) => {
      count(bytes);
      countReceivedBytes(bytes);
      untilAsked -= bytes;
      if (untilAsked > 0) return;
      untilAsked = SPACE_ASKED_EVERY_BYTES;
      await requireFreeSpace(context, 0);
    };
  };
  try {
    return await receiveFiles(request, { fields: FILE_FIELDS, maxTextBytes: MAX_TEXT_BYTES, watch, folder });
  } finally {
    room.leave();
  }
}

async function openRoom(context: Context, { uploader, invitation }: FormCall): Promise<FormRoom> {
  const { owner, visitor } = uploader;
  const limits = limitsOfInvitation(invitation, limitsOf(await getTierConfig(context), owner.tier));
  const scope = scopeOfRoom(invitation, visitor.visitId);
  return openFormRoom(JSON.stringify(scope), { limits, used: await findUsed(context.db, scope) });
}

/**
 * Visitors decide a message only. A field of any other setting is refused rather than ignored; fields that mean nothing
 * here, such as a page's hidden ones, are ignored.
 */
function parseSettings(fields: ReceivedForm['fields']): TransferSettings {
  const settings = [...fields].filter(([name]) => isSettingName(name));
  const parsed = TransferSettings.pick({ message: true }).safeParse(Object.fromEntries(settings));
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

function describeFile({ fileName, mimeType, sizeBytes }: FormFile): UploadRequest {
  const parsed = UploadRequest.safeParse({
    fileName,
    relativePath: fileName,
    fileSize: sizeBytes,
    totalChunks: planChunks(sizeBytes).totalChunks,
    mimeType,
  });
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

type Storing = { uploader: Uploader; uploads: UploadRow[]; form: ReceivedForm; isGone: () => boolean };

/** Chunk by chunk, as if they came from outside. Throws AppError `malformed_form` when the client leaves. */
async function storeFiles(context: Context, { uploader, uploads, form, isGone }: Storing): Promise<void> {
  const scope = scopeOf(uploader);
  for (const [position, { id: uploadId, sizeBytes, chunkSize, chunkCount }] of uploads.entries()) {
    for (let index = 0; index < chunkCount; index += 1) {
      if (isGone()) throw new AppError('malformed_form');
      const start = index * chunkSize;
      const declaredBytes = chunkLength(sizeBytes, chunkSize, index);
      const stream = form.read(form.files[position]!, start, start + declaredBytes);
      await receiveChunk(context, {
        scope,
        uploadId,
        index: String(index),
        stream,
        declaredBytes,
        contentDigest: undefined,
        receivedBytes: () => stream.bytesRead,
      });
    }
  }
  if (isGone()) throw new AppError('malformed_form');
}

/** These uploads are a draft of their own: if it does not get ready it goes as a whole. */
async function allOrNothing(
  context: Context,
  uploads: UploadRow[],
  deliver: () => Promise<void>,
): Promise<void> {
  try {
    await deliver();
  } catch (error) {
    const { transferId } = uploads[0]!;
    await transaction(context.db, (trx) =>
      removeTransfer({ ...context, db: trx }, transferId, { cause: 'refused' }),
    );
    throw error;
  }
}

function presentDelivery(uploads: UploadRow[]): Delivery {
  return {
    files: uploads.map(({ relativePath, sizeBytes }) => ({ name: relativePath, size: sizeBytes })),
    totalSize: uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

/** The name as it will be judged. */
function lastSegment(fileName: string): string {
  return normalisePath(fileName)?.split('/').at(-1) ?? fileName;
}
