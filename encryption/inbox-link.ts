/** The fragment of an invitation's link. It has no imports, because pages read it before they load the cryptography. */

/** After '#', '#' as `%23` (some mail gateways rewrite links), or alone. */
const PUBLIC_KEY = /(?:^|#|%(?:25)*23)k1\.(B[\w-]{85}[AEIMQUYcgkosw048])(?![\w-])/;

/** 'k1.PUBLICKEY': the fragment without '#'. */
export function formatInboxKey({ publicKey }: { publicKey: string }): string {
  return `k1.${publicKey}`;
}

/** Reads 'k1.PUBLICKEY', also in a whole link and with `%23` instead of '#'. Undefined if there is no public key. */
export function parseInboxKey(text: string): string | undefined {
  return PUBLIC_KEY.exec(text.trim())?.[1];
}
