/** FIPS 180-4, for files of any size. */
export class Sha256 {
  readonly #state = Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  readonly #words = new Uint32Array(64);
  readonly #block = new Uint8Array(BLOCK_BYTES);
  /** Bytes in `#block` that wait for the rest of the block. */
  #waiting = 0;
  #length = 0;

  update(bytes: Uint8Array): this {
    this.#length += bytes.length;
    let start = 0;
    if (this.#waiting > 0) {
      start = Math.min(BLOCK_BYTES - this.#waiting, bytes.length);
      this.#block.set(bytes.subarray(0, start), this.#waiting);
      this.#waiting += start;
      if (this.#waiting < BLOCK_BYTES) return this;
      this.#compress(this.#block, 0);
      this.#waiting = 0;
    }
    for (; start + BLOCK_BYTES <= bytes.length; start += BLOCK_BYTES) this.#compress(bytes, start);
    this.#block.set(bytes.subarray(start));
    this.#waiting = bytes.length - start;
    return this;
  }

  /** In lower-case hex. Ends the computation. */
  digest(): string {
    const bits = this.#length * 8;
    const zeros = (BLOCK_BYTES * 2 - 9 - this.#waiting) % BLOCK_BYTES;
    const end = new Uint8Array(1 + zeros + 8);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(1 + zeros, Math.floor(bits / 2 ** 32));
    view.setUint32(5 + zeros, bits % 2 ** 32);
    this.update(end);
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  #compress(bytes: Uint8Array, start: number): void {
    const w = this.#words;
    for (let i = 0, at = start; i < 16; i += 1, at += 4)
      w[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    for (let i = 16; i < 64; i += 1) {
      const x = w[i - 15]!;
      const y = w[i - 2]!;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
    }
    const state = this.#state;
    let a = state[0]! | 0;
    let b = state[1]! | 0;
    let c = state[2]! | 0;
    let d = state[3]! | 0;
    let e = state[4]! | 0;
    let f = state[5]! | 0;
    let g = state[6]! | 0;
    let h = state[7]! | 0;
    for (let i = 0; i < 64; i += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i]! + w[i]!) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0] = state[0]! + a;
    state[1] = state[1]! + b;
    state[2] = state[2]! + c;
    state[3] = state[3]! + d;
    state[4] = state[4]! + e;
    state[5] = state[5]! + f;
    state[6] = state[6]! + g;
    state[7] = state[7]! + h;
  }
}

const BLOCK_BYTES = 64;
const ROUND_CONSTANTS = computeRoundConstants();

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function computeRoundConstants(): Int32Array {
  const constants = new Int32Array(64);
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  for (const [index, prime] of primes.entries()) constants[index] = (Math.cbrt(prime) % 1) * 2 ** 32;
  return constants;
}
