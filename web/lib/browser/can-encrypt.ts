/** Browsers have cryptography only on https addresses and on this computer. */
export function canEncrypt(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}
