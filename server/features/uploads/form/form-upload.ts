import type { FastifyRequest } from 'fastify';
import { chunkLength, MESSAGE_MAX, planChunks } from '../../../../contracts/plans/limits.ts';
import { isSettingName } from '../../../../contracts/transfers/settings/text-settings.ts';
import { TransferSettings } from '../../../../contracts/transfers/transfers.ts';
import type { InvitedFile } from '../../../../contracts/transfers/uploads/invitations.ts';
import { UploadRequest } from '../../../../contracts/transfers/uploads/uploads.ts';
import { normalisePath } from '../../../../contracts/values/names/file-names.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import type { InvitationRow, UploadRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { type FormFile, type ReceivedForm, receiveFiles } from '../../../platform/http/bodies/form-files.ts';
import type { Visitor } from '../../../platform/http/routing/identity.ts';
import { invalidInput } from '../../../platform/http/routing/invalid-input.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { findRoom, type Room, requireRoomFor, scopeOfVisitor } from '../../invitations/index.ts';
import { getTierConfig, limitsOf } from '../../tiers/index.ts';
import { removeTransfer } from '../../transfers/index.ts';
import { receiveChunk } from '../chunks/chunks.ts';
import { countReceivedBytes } from '../chunks/garbage-collection.ts';
import { announceUploads } from '../core/announcements.ts';
import { completeUploads } from '../core/completion.ts';
import { requireFreeSpace } from '../core/disk-reservations.ts';
import { scopeOf, type Uploader } from '../core/uploader.ts';
import { requireInvitedEncryption, requireVisitorsAllowed } from '../sealed/announced-files.ts';

/** PHP-style clients add brackets to the names of lists. */
const FILE_FIELDS = ['files', 'files[]'];
/**
 * One character longer than a message may be, so that validation refuses a long one instead of the parser truncating
 * it.
 */
const MAX_TEXT_BYTES = 4 * (MESSAGE_MAX + 1);
const SPACE_CHECK_BYTES = 64 * MIB;

type FormCall = {
  uploader: Uploader & { visitor: Visitor };
  invitation: InvitationRow;
  request: FastifyRequest;
  /** Files are buffered here, because uploads are announced once all sizes are known. */
  folder: string;
};

type Delivery = { files: { name: string; size: number }[]; totalSize: number };

/**
 * Receives the files of one form as one delivery, all or none, also if the client disconnects early. Throws AppError
 * `no_files`, `malformed_form`, `unsupported_media_type`, `invalid_input`, `encryption_required`, `must_be_encrypted`
 * before the first byte, the refusals of `requireRoomFor` at the first excess byte, and what announcing and completing throw.
 */
export async function uploadForm(context: Context, call: FormCall): Promise<Delivery> {
  const { uploader, request } = call;
  const form = await receiveForm(context, call);
  try {
    const { socket } = request.raw;
    // Storing may take long, and the client sends nothing meanwhile.
    socket.setTimeout(0);
    const settings = parseSettings(form.fields);
    const files = form.files.map(describeFile);
    if (files.length === 0) throw new AppError('no_files');
    const uploads = await announceUploads(context, uploader, { files, field: 'files' });
    await removeDraftOnFailure(context, uploads, async () => {
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
  let untilSpaceCheck = SPACE_CHECK_BYTES;
  const onFile = (fileName: string) => {
    const count = room.enter(lastSegment(fileName));
    return async (bytes: number) => {
      count(bytes);
      countReceivedBytes(bytes);
      untilSpaceCheck -= bytes;
      if (untilSpaceCheck > 0) return;
      untilSpaceCheck = SPACE_CHECK_BYTES;
      await requireFreeSpace(context, 0);
    };
  };
  try {
    return await receiveFiles(request, { fields: FILE_FIELDS, maxTextBytes: MAX_TEXT_BYTES, onFile, folder });
  } finally {
    room.leave();
  }
}

async function openRoom(context: Context, { uploader, invitation }: FormCall): Promise<FormRoom> {
  const { owner, visitor } = uploader;
  const plan = limitsOf(await getTierConfig(context), owner.tier);
  requireInvitedEncryption(invitation, false);
  requireVisitorsAllowed(owner, plan, false);
  const room = await findRoom(context.db, { invitation, plan, visit: visitor });
  return openFormRoom(room, { visitor: scopeOfVisitor(invitation, visitor).value, all: invitation.id });
}

/** Refuses settings other than the message; ignores unknown fields, such as hidden ones. */
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

async function removeDraftOnFailure(
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

function lastSegment(fileName: string): string {
  return normalisePath(fileName)?.split('/').at(-1) ?? fileName;
}

type Amount = Room['used'];

type ArrivingBytes = Amount & { forms: number };

/** Of one visitor, or of all visitors of an invitation. */
const arriving = new Map<string, ArrivingBytes>();

type FormRoom = {
  /** Starts a file; the result counts its bytes. Both throw the refusals of `requireRoomFor`. */
  enter(name: string): (bytes: number) => void;
  leave(): void;
};

/**
 * Checks a form against the limits while it arrives, together with prior usage and other forms in flight, so that they
 * cannot fill the disk with bytes that will be refused. Announcing the uploads checks again.
 */
function openFormRoom(room: Room, keys: { visitor: string; all: string }): FormRoom {
  const ofVisitor = joinArriving(keys.visitor);
  const ofAll = joinArriving(keys.all);
  const mine = { files: 0, bytes: 0 };
  const count = (files: number, bytes: number) => {
    for (const amount of [ofVisitor, ofAll, mine]) {
      amount.files += files;
      amount.bytes += bytes;
    }
  };
  const requireRoom = (file: InvitedFile) => {
    const addOthers = (used: Amount, all: Amount) => ({
      files: used.files + all.files - 1,
      bytes: used.bytes + all.bytes - file.sizeBytes,
    });
    requireRoomFor([file], {
      ...room,
      used: addOthers(room.used, ofVisitor),
      usedByAll: addOthers(room.usedByAll, ofAll),
    });
  };
  return {
    enter(name) {
      const file = { name, sizeBytes: 0 };
      count(1, 0);
      requireRoom(file);
      return (bytes) => {
        count(0, bytes);
        file.sizeBytes += bytes;
        requireRoom(file);
      };
    },
    leave() {
      count(-mine.files, -mine.bytes);
      leaveArriving(keys.visitor);
      leaveArriving(keys.all);
    },
  };
}

function joinArriving(key: string): ArrivingBytes {
  const amount = arriving.get(key) ?? { forms: 0, files: 0, bytes: 0 };
  arriving.set(key, amount);
  amount.forms += 1;
  return amount;
}

function leaveArriving(key: string): void {
  const amount = arriving.get(key)!;
  amount.forms -= 1;
  if (amount.forms === 0) arriving.delete(key);
}
