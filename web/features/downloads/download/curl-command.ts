type CurlDownload = {
  /** Absolute URLs. */
  url: string;
  verifyUrl: string;
  fileName: string;
  isProtected: boolean;
  isLimited: boolean;
};

const COOKIES = 'sendwell.cookies';

/**
 * A command that downloads, and that resumes when it is run again. It keeps cookies if needed: they prove the
 * password, and that a resumed download was counted already.
 */
export function curlCommand({ url, verifyUrl, fileName, isProtected, isLimited }: CurlDownload): string {
  const jar = isProtected || isLimited ? `-b ${COOKIES} -c ${COOKIES} ` : '';
  const download = `curl ${jar}-C - -o ${quote(fileName)} ${quote(url)}`;
  if (!isProtected) return download;
  return `curl -c ${COOKIES} --json '{"password":"PASSWORD"}' ${quote(verifyUrl)}\n${download}`;
}

/** For POSIX shells: inside single quotes, only the quote itself is special. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
