/** A picture is never enlarged. */
export type PictureBox = { width: number; height: number };

export function findOuterBox(boxes: readonly PictureBox[]): PictureBox {
  return {
    width: Math.max(...boxes.map(({ width }) => width)),
    height: Math.max(...boxes.map(({ height }) => height)),
  };
}

/** Standard input, as JSON. */
export type RenderOrder = {
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'heif' | 'pdf';
  boxes: readonly PictureBox[];
  animated: boolean;
  /** Of a PDF; then there is one box. By default the first page in every box. */
  pages?: PageRange;
};

export type PageRange = { first: number; count: number };

export const FILE_NAME = 'file';

/** Standard output: one line of JSON, then the pictures as WebP in the order of the boxes or pages. */
export type RenderReply = { pictures: (PictureBox & { sizeBytes: number })[]; pageCount?: number } | Refusal;

/** `tooMuchMotion`: an animation has more than `MAX_ANIMATION_PIXELS` or `MAX_FRAMES`. */
export type Refusal = { refusal: string; tooMuchMotion?: boolean };

/** Refused before decoding. */
export const MAX_INPUT_PIXELS = 50_000_000;

/** Of all frames. Encoding takes about 0.1 s per million pixels. */
export const MAX_ANIMATION_PIXELS = 50_000_000;
export const MAX_FRAMES = 500;
