/** CRC-32's polynomial, bits reversed (ISO 3309, as zlib and zip use it). */
const POLYNOMIAL = 0xedb88320;
/** Bit 31 is the coefficient of x^0. */
const ONE = 0x80000000;

/** `POWERS[k]` is x^(2^k) modulo the polynomial. x^(2^32) is x again, so 32 of them serve any length. */
const POWERS = listPowers();

/** The CRC-32 of a concatenation. Logarithmic in `secondLength` (bytes, up to 2^53 - 1). */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  return crc32Combiner(secondLength)(first, second);
}

/** For many chunks of one length (bytes). */
export function crc32Combiner(secondLength: number): (first: number, second: number) => number {
  if (!Number.isSafeInteger(secondLength) || secondLength < 0) {
    throw new RangeError('secondLength must be a whole number of bytes');
  }
  const shift = shiftByBytes(secondLength);
  return (first, second) => (multiply(shift, first) ^ second) >>> 0;
}

/** x^(8 * length): multiplying a CRC by it appends that many zero bytes. */
function shiftByBytes(length: number): number {
  let product = ONE;
  let power = 3;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) product = multiply(POWERS[power % 32]!, product);
    power += 1;
  }
  return product;
}

/** a * b modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let rest = a; rest !== 0; rest <<= 1) {
    if (rest & ONE) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}

function listPowers(): number[] {
  const powers = [0x40000000];
  while (powers.length < 32) {
    const last = powers.at(-1)!;
    powers.push(multiply(last, last));
  }
  return powers;
}
