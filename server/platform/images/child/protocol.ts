/** Pixels into which a picture is fitted; it is never made larger than the original. */
export type PictureBox = { width: number; height: number };

/** The smallest box that holds all of them. */
export function findOuterBox(boxes: readonly PictureBox[]): PictureBox {
  return {
    width: Math.max(...boxes.map(({ width }) => width)),
    height: Math.max(...boxes.map(({ height }) => height)),
  };
}

/** What the server writes to the decoder's standard input, as JSON. The file is `FILE_NAME` in its folder. */
export type RenderOrder = {
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'heif' | 'pdf';
  boxes: readonly PictureBox[];
};

export const FILE_NAME = 'file';

/**
 * What the decoder writes to its standard output: this as one line of JSON, then the pictures one after another. They
 * are WebP and in the order of the boxes.
 */
export type RenderReply = { pictures: (PictureBox & { sizeBytes: number })[] } | { refusal: string };

/** A picture larger than this is refused before it is decoded. */
export const MAX_INPUT_PIXELS = 50_000_000;
