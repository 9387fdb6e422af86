/** The key of the link, or the password, is not the one the transfer was encrypted with. */
export class WrongKeyError extends Error {
  override name = 'WrongKeyError';
}

/** The bytes are not what the sender sealed at this place. Nothing of them was returned. */
export class DamagedSegmentError extends Error {
  override name = 'DamagedSegmentError';
  /** Undefined if the length is wrong. */
  readonly segment: number | undefined;

  constructor(segment?: number) {
    super(
      segment === undefined ? 'The encrypted data has the wrong length.' : `Segment ${segment} is damaged.`,
    );
    this.segment = segment;
  }
}

/** Sealed with the right key, but not in a form that this version can read. */
export class UnknownFormatError extends Error {
  override name = 'UnknownFormatError';
}
