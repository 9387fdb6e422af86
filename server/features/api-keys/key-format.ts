import { API_KEY_MARK } from '../../../contracts/accounts/api-keys.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';

const SHAPE = /^swk_[0-9a-z]{26}$/;
/** So much is shown of a key ever after: enough to tell one's own apart, far too little to guess the rest. */
const PREFIX_LENGTH = API_KEY_MARK.length + 6;

/** A new key: what its owner gets once, and what is kept of it. */
export function mintKey(): { key: string; keyHash: string; prefix: string } {
  const key = API_KEY_MARK + randomId();
  return { key, keyHash: hashToken(key), prefix: key.slice(0, PREFIX_LENGTH) };
}

export function isKeyShaped(text: string): boolean {
  return SHAPE.test(text);
}
