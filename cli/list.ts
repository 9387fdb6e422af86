import { Option } from 'commander';
import { nameTransfer } from '../contracts/transfers/names.ts';
import { listTransfers, type Transfer } from '../contracts/transfers/transfers.ts';
import { encryptedSharePath, shareLink } from '../contracts/values/addresses/links.ts';
import { countOf } from '../contracts/values/format.ts';
import { fetchPages } from '../contracts/values/paging.ts';
import { formatSize } from '../contracts/values/sizes.ts';
import { getAccount } from './account.ts';
import { ACCOUNT_OPTIONS, type AccountOptions, type Command, type Run } from './command.ts';
import { Api } from './http/api.ts';
import { color } from './progress/screen.ts';
import { formatDuration, toOneLine } from './progress/words.ts';

const MAX_SHOWN = 20;

export const listCommand: Command = {
  name: 'list',
  summary: 'List your transfers with link, size, expiry and downloads',
  options: [
    new Option(
      '--all',
      `Show more than ${MAX_SHOWN}, including expired transfers and those at their download limit`,
    ),
    ...ACCOUNT_OPTIONS,
  ],
  async run({ options, firstContact, signal }: Run<[], AccountOptions & { all?: true }>) {
    const { server, key } = await getAccount(options);
    const api = new Api(server, { key });
    try {
      const query = options.all ? {} : { state: 'active' as const, limit: MAX_SHOWN };
      const fetchPage = (cursor?: string) =>
        firstContact.run(() => api.callPage(listTransfers, { query: { ...query, cursor }, signal }), signal);
      const { items: transfers, nextCursor } = await fetchPage();
      if (options.all) for await (const page of fetchPages(nextCursor, fetchPage)) transfers.push(...page);
      const rows = transfers.map((transfer) => ({ ...transfer, link: linkWithoutKey(server, transfer) }));
      const none = options.all ? 'There are no transfers.' : 'There are no active transfers.';
      return {
        text: rows.length > 0 ? rows.map(describeTransfer).join('\n') : none,
        facts: { transfers: rows },
      };
    } finally {
      api.close();
    }
  },
};

/** The server does not know the key of an encrypted transfer. */
function linkWithoutKey(server: string, { token, encryption }: Transfer): string {
  return encryption ? server + encryptedSharePath(token) : shareLink(server, token);
}

function describeTransfer(transfer: Transfer & { link: string }): string {
  const { link, fileCount, totalSize, isPasswordProtected } = transfer;
  const facts = [
    countOf(fileCount, 'file'),
    formatSize(totalSize),
    describeDownloads(transfer),
    describeState(transfer),
    ...(isPasswordProtected ? ['password'] : []),
    ...(transfer.encryption ? ['encrypted; the key is only in the link that `send` printed'] : []),
  ];
  return `${color('bold', toOneLine(nameTransfer(transfer)), process.stdout)}\n  ${link}\n  ${facts.join(' · ')}`;
}

function describeDownloads({ downloadCount, maxDownloads }: Transfer): string {
  if (maxDownloads !== null) return `${downloadCount} of ${maxDownloads} downloads`;
  return countOf(downloadCount, 'download');
}

function describeState({ isExpired, isTakenDown, scanState, isLimitReached, expiresAt }: Transfer): string {
  if (isTakenDown) return 'closed by an administrator';
  if (scanState === 'blocked') return 'blocked: a file in it may be dangerous';
  if (scanState !== null && scanState !== 'partial') return 'being checked for malware';
  if (isExpired) return 'expired';
  if (isLimitReached) return 'download limit reached';
  if (expiresAt === null) return 'no expiry';
  return `expires in ${formatDuration((Date.parse(expiresAt) - Date.now()) / 1_000)}`;
}
