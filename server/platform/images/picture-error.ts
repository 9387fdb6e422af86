/**
 * Why a file has no picture: `unsupported`, it is not of a kind we render; `refused`, it is damaged, too large or
 * otherwise beyond the decoder; `too-much-motion`, it is an animation with too many frames or pixels; `killed`, it took
 * too long or too much memory and another attempt may succeed.
 */
export type PictureFault = 'unsupported' | 'refused' | 'too-much-motion' | 'killed';

/** The file's own fault. Other errors (a full disk, bytes that cannot be read) are not wrapped in it. */
export class PictureError extends Error {
  override name = 'PictureError';
  readonly fault: PictureFault;

  constructor(fault: PictureFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
