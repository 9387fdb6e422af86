/**
 * `unsupported`: not a kind that is rendered. `refused`: damaged or too large. `killed`: took too long or too
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

export const UNREADABLE_PICTURE =
  'This picture is damaged or has too many pixels. Please select another image file.';
