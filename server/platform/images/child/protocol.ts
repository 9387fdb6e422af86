/** Pixels into which a picture is fitted; it is never made larger than the original. */
export type PictureBox = { width: number; height: number };

/** One picture to make. */
export type PictureOrder = PictureBox & { output: string };

/** What holds each of the boxes. */
export function findOuterBox(boxes: readonly PictureBox[]): PictureBox {
  return {
    width: Math.max(...boxes.map(({ width }) => width)),
    height: Math.max(...boxes.map(({ height }) => height)),
  };
}

/** What the server asks the rendering process for; all paths lie in the folder of the job. */
export type RenderOrder = {
  input: string;
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'heif' | 'pdf';
  pictures: PictureOrder[];
};

/** The sizes of the pictures written, in the order asked for, or why there are none. */
export type RenderReply = { pictures: { width: number; height: number }[] } | { refusal: string };

/** What bounds the rendering process, handed to it at its start. */
export type RenderBounds = { parentPid: number; maxRssBytes: number };

/** A picture larger than this is refused before it is decoded. */
export const MAX_INPUT_PIXELS = 50_000_000;
