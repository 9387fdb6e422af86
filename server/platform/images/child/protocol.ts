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
  /** Keeps all frames of an animation instead of the first one. */
  animated: boolean;
};

export const FILE_NAME = 'file';

/**
 * What the decoder writes to its standard output: this as one line of JSON, then the pictures one after another. They
 * are WebP and in the order of the boxes.
 */
export type RenderReply = { pictures: (PictureBox & { sizeBytes: number })[] } | Refusal;

/** `tooMuchMotion`: an animation has more than `MAX_ANIMATION_PIXELS` or `MAX_FRAMES`. */
export type Refusal = { refusal: string; tooMuchMotion?: boolean };

/** A picture larger than this is refused before it is decoded. */
export const MAX_INPUT_PIXELS = 50_000_000;

/** Of all frames of an animation together, and how many it may have. Encoding takes about 0.1 s per million pixels. */
export const MAX_ANIMATION_PIXELS = 50_000_000;
export const MAX_FRAMES = 500;
