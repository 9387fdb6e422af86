type CurlDownload = {
  /** Absolute addresses. */
  url: string;
  verifyUrl: string;
  fileName: string;
  isProtected: boolean;
  isLimited: boolean;
};

const COOKIES = 'sendwell.cookies';

/**
 * What to type to download in a terminal and to go on after a break: the same line again. Cookies are kept
 * where they matter: they prove the password, and that a continued download was counted already.
 */
export function curlCommand({ url, verifyUrl, fileName, isProtected, isLimited }: CurlDownload): string {
  const jar = isProtected || isLimited ? `-b ${COOKIES} -c ${COOKIES} ` : '';
  const download = `curl ${jar}-C - -o ${quote(fileName)} ${quote(url)}`;
  if (!isProtected) return download;
  return `curl -c ${COOKIES} --json '{"password":"PASSWORD"}' ${quote(verifyUrl)}\n${download}`;
}

/** For POSIX shells: nothing inside single quotes is special but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
