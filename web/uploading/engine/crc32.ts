/** CRC-32 of zip and zlib, 16 bytes per step, so that reading the file is the bottleneck. */
const STRIDE = 16;
const tables = makeTables();

function makeTables(): Uint32Array {
  const all = new Uint32Array(STRIDE * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    all[byte] = value;
  }
  for (let index = 256; index < all.length; index += 1) {
    const previous = all[index - 256]!;
    all[index] = (previous >>> 8) ^ all[previous & 0xff]!;
  }
  return all;
}

export function crc32(bytes: Uint8Array<ArrayBuffer>): number {
  const aligned = bytes.byteOffset % 4 === 0;
  const words = aligned
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2)
    : new Uint32Array(0);
  const strides = aligned ? Math.floor(bytes.length / STRIDE) : 0;
  const t = tables;
  let crc = 0xffffffff;
  for (let word = 0; word < strides * 4; word += 4) {
    const a = words[word]! ^ crc;
    const b = words[word + 1]!;
    const c = words[word + 2]!;
    const d = words[word + 3]!;
    crc =
      t[3840 + (a & 0xff)]! ^
      t[3584 + ((a >>> 8) & 0xff)]! ^
      t[3328 + ((a >>> 16) & 0xff)]! ^
      t[3072 + (a >>> 24)]! ^
      t[2816 + (b & 0xff)]! ^
      t[2560 + ((b >>> 8) & 0xff)]! ^
      t[2304 + ((b >>> 16) & 0xff)]! ^
      t[2048 + (b >>> 24)]! ^
      t[1792 + (c & 0xff)]! ^
      t[1536 + ((c >>> 8) & 0xff)]! ^
      t[1280 + ((c >>> 16) & 0xff)]! ^
      t[1024 + (c >>> 24)]! ^
      t[768 + (d & 0xff)]! ^
      t[512 + ((d >>> 8) & 0xff)]! ^
      t[256 + ((d >>> 16) & 0xff)]! ^
      t[d >>> 24]!;
  }
  for (let index = strides * STRIDE; index < bytes.length; index += 1) {
    crc = (crc >>> 8) ^ t[(crc ^ bytes[index]!) & 0xff]!;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
