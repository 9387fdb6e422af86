import { Id } from '../../../contracts/values/fields.ts';
import { plainSharePath, sharePath } from '../../../contracts/values/links.ts';

const SHARE_PATH = new RegExp(`^${sharePath('([0-9a-z]{26})')}/?$`);

/** The page without scripts that says the same as the page at this address; undefined where there is none. */
export function findPlainTwin(url: string): string | undefined {
  const [path = '', search] = url.split('?', 2);
  const token = SHARE_PATH.exec(path)?.[1];
  if (token === undefined) return undefined;
  const recipientToken = Id.safeParse(new URLSearchParams(search).get('r')).data;
  return plainSharePath(token, recipientToken);
}
