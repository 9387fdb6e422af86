/** The stored bytes are fewer than a reader was promised: they are damaged, and no second try mends them. */
export class BlobEndsEarly extends Error {
  constructor(missingBytes: number) {
    super(`The blob ends ${missingBytes} bytes before the range does`);
  }
}
