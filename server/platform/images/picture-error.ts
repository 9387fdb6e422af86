/**
 * Why a file has no picture: `unsupported` is not of a kind we render, `refused` is damaged, too large or
 * otherwise beyond the decoder, `killed` took too long or too much memory and may fare better another time.
 */
export type PictureFault = 'unsupported' | 'refused' | 'killed';

/** The file's own fault; what else goes wrong (a full disk, bytes that cannot be read) comes as it is. */
export class PictureError extends Error {
  override name = 'PictureError';
  readonly fault: PictureFault;

  constructor(fault: PictureFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
