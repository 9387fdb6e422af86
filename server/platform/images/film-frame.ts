import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { PictureBox } from './child/protocol.ts';
import { PictureError } from './picture-error.ts';
import { lowerPriority } from './priority.ts';

const FOLDERS = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/bin'];

const TIMEOUT_MS = 30_000;
const MAX_CPU_SECONDS = 20;
const MAX_ADDRESS_SPACE_KIB = 3 * 1024 * 1024;

/** Sets limits that the program cannot lift again (where the system has them), then becomes it. */
const BOUNDED = 'ulimit -t "$1"; ulimit -v "$2"; shift 2; exec "$@"';

/** Where the system's ffmpeg is, or undefined without one. */
export async function findFfmpeg(): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    const path = join(folder, 'ffmpeg');
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

type Film = { ffmpeg: string; input: string; output: string; box: PictureBox; signal: AbortSignal };

/**
 * Writes one telling picture of a film's first seconds as PNG. ffmpeg reads this one file and nothing else: no
 * network, no playlists that name other files. Bounded in CPU time, address space and wall clock. Throws
 * PictureError, and the signal's reason when that was aborted.
 */
export async function writeFilmFrame({ ffmpeg, input, output, box, signal }: Film): Promise<void> {
  signal.throwIfAborted();
  const scale = `scale=w=min(iw\\,${box.width}):h=min(ih\\,${box.height}):force_original_aspect_ratio=decrease`;
  const options = [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg'],
    ...['-max_pixels', '50000000', '-t', '10', '-i', `file:${input}`],
    ...['-an', '-sn', '-dn', '-filter_threads', '1', '-vf', `thumbnail=24,${scale}`],
    ...['-frames:v', '1', '-f', 'image2', '-c:v', 'png', '-update', '1', '-y', `file:${output}`],
  ];
  const limits = [String(MAX_CPU_SECONDS), String(MAX_ADDRESS_SPACE_KIB)];
  const error = await execute(['-c', BOUNDED, 'sh', ...limits, ffmpeg, ...options], signal);
  signal.throwIfAborted();
  if (error) throw new PictureError(error.killed ? 'killed' : 'refused', 'ffmpeg found no picture');
}

function execute(argv: string[], signal: AbortSignal): Promise<{ killed?: boolean } | null> {
  return new Promise((resolve) => {
    const options = {
      env: {},
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      signal,
      maxBuffer: 64 * 1024,
    } as const;
    const child = execFile('/bin/sh', argv, options, (error) => resolve(error));
    lowerPriority(child.pid);
  });
}
