import { MIB } from '../../../contracts/values/sizes.ts';
import { FILE_NAME, type PictureBox } from './child/protocol.ts';
import { DecoderProcess } from './decoder-process.ts';
import type { Sandbox } from './sandbox.ts';

/** A PNG of the largest box, whatever is in it. */
const MAX_FRAME_BYTES = 64 * MIB;

type Film = {
  sandbox: Sandbox;
  /** The path of the executable. */
  ffmpeg: string;
  folder: string;
  box: PictureBox;
  maxRssBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
};

/**
 * Returns a representative picture of a film's first seconds as PNG. ffmpeg runs in the sandbox and is told to read
 * this one file: no network, no playlists that name other files. Throws like `DecoderProcess.run`.
 */
export async function drawFilmFrame(film: Film): Promise<Buffer> {
  const { sandbox, ffmpeg, folder, box, maxRssBytes, timeoutMs, signal } = film;
  const scale = `scale=w=min(iw\\,${box.width}):h=min(ih\\,${box.height}):force_original_aspect_ratio=decrease`;
  const args = [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg'],
    ...['-max_pixels', '50000000', '-t', '10', '-i', `file:${FILE_NAME}`],
    ...['-an', '-sn', '-dn', '-filter_threads', '1', '-vf', `thumbnail=24,${scale}`],
    ...['-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png', 'pipe:1'],
  ];
  const decoder = new DecoderProcess({ sandbox, program: { executable: ffmpeg }, args, folder, maxRssBytes });
  return decoder.run({ input: '', maxOutputBytes: MAX_FRAME_BYTES, timeoutMs, signal });
}
