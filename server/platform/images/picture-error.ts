/**
 * Why a file has no picture. `unsupported`: not a kind that is rendered. `refused`: damaged, too large or otherwise
 * beyond the decoder. `too-much-motion`: an animation with too many frames or pixels. `killed`: took too long or too
 * much memory; another attempt may succeed.
 */
export type PictureFault = 'unsupported' | 'refused' | 'too-much-motion' | 'killed';

export class PictureError extends Error {
  override name = 'PictureError';
  readonly fault: PictureFault;

  constructor(fault: PictureFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** Shown when a file was `refused` or its decoder `killed`. */
export const UNREADABLE_PICTURE =
  'This picture is damaged or has too many pixels. Please select another image file.';
