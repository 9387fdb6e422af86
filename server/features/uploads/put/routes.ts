import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_FILE_BYTES } from '../../../../contracts/plans/limits.ts';
import {
  parseTextSettings,
  putFile,
  type SentFile,
  type TextSettings,
} from '../../../../contracts/transfers/settings/text-settings.ts';
import { shareLink } from '../../../../contracts/values/addresses/links.ts';
import type { Context } from '../../../context.ts';
import { acceptRawBody, drainBody, readContentLength } from '../../../platform/http/bodies/raw-body.ts';
import { parseHttpDate } from '../../../platform/http/bytes/http-date.ts';
import { invalidInput } from '../../../platform/http/routing/invalid-input.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { uploaderOf } from '../core/uploader.ts';
import { receivePutFile, type SentUpload } from './put-file.ts';

const PREFIX = 'sendwell-';

export async function putFileRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const folder = join(context.config.dataDir, 'incoming');
  await app.register(async (scope) => {
    acceptRawBody(scope);
    route(scope, putFile, async ({ params: { name }, query, request, reply, ...caller }) => {
      const { raw, headers } = request;
      try {
        const settings = readSettings(request, query);
        const sent = await receivePutFile(context, uploaderOf({ ...caller, request }), {
          path: name,
          mimeType: headers['content-type'],
          modifiedAt: parseHttpDate(headers['last-modified']),
          stream: raw,
          declaredBytes: readSize(request),
          receivedBytes: () => raw.socket.bytesRead,
          settings,
          folder,
        });
        answer(request, reply, present(context, sent));
      } catch (error) {
        drainBody(request);
        throw error;
      }
    });
  });
}

/** A request with neither a body nor a length is an empty file. */
function readSize({ headers }: FastifyRequest): number | undefined {
  const length = readContentLength(headers);
  if (length !== undefined && length > MAX_FILE_BYTES) throw new AppError('body_too_large');
  return length ?? (headers['transfer-encoding'] === undefined ? 0 : undefined);
}

function readSettings({ headers }: FastifyRequest, query: Record<string, string | string[]>): TextSettings {
  const texts: [string, string][] = [];
  for (const [name, text] of Object.entries(headers))
    if (name.startsWith(PREFIX)) texts.push([name.slice(PREFIX.length), fromHeader(text)]);
  for (const [name, text] of Object.entries(query)) texts.push([name, [text].flat().join(',')]);
  const parsed = parseTextSettings(texts);
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

/** Node decodes headers as Latin-1, but clients send UTF-8. */
function fromHeader(text: string | string[] | undefined): string {
  const header = [text ?? ''].flat().join(',');
  const decoded = Buffer.from(header, 'latin1').toString('utf8');
  return decoded.includes('\uFFFD') ? header : decoded;
}

function present({ config }: Context, { token, transfer, upload }: SentUpload): SentFile {
  const { id, relativePath, sizeBytes } = upload;
  const link = shareLink(config.publicUrl, token);
  return { link, token, transferId: transfer.id, file: { id, name: relativePath, size: sizeBytes } };
}

function answer({ headers }: FastifyRequest, reply: FastifyReply, sent: SentFile): void {
  const { link, transferId } = sent;
  reply.code(201).headers({
    location: link,
    'cache-control': 'no-store',
    'sendwell-transfer-id': transferId,
    'sendwell-share-link': link,
  });
  if (/\bapplication\/json\b/i.test(headers.accept ?? ''))
    reply.type('application/json; charset=utf-8').send(JSON.stringify(sent));
  else reply.type('text/plain; charset=utf-8').send(`${link}\n`);
}
