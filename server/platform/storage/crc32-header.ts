/** A CRC-32 as `x-amz-checksum-crc32` carries it: four bytes, big-endian, in base64. */
export function encodeCrc32(crc32: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32);
  return bytes.toString('base64');
}
