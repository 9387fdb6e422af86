import { nameTransfer } from '../contracts/transfers/names.ts';
import { listTransfers, type Transfer } from '../contracts/transfers/transfers.ts';
import { shareLink } from '../contracts/values/links.ts';
import { formatSize } from '../contracts/values/sizes.ts';
import { findAccount } from './account.ts';
import type { Command } from './command.ts';
import { Api } from './http/api.ts';
import { ACCOUNT_OPTIONS, textOf } from './options.ts';
import { colour } from './progress/screen.ts';
import { countFiles, formatDuration, toOneLine } from './progress/words.ts';

const SHOWN = 20;

export const listCommand: Command = {
  summary: 'List your transfers with link, size, expiry and downloads',
  usage: '[--all] [options]',
  options: {
    all: {
      type: 'boolean',
      help: `Also those that have expired or reached their limit, and more than ${SHOWN}`,
    },
    ...ACCOUNT_OPTIONS,
  },
  async run({ values, firstContact, signal }) {
    const { server, key } = await findAccount({
      server: textOf(values, 'server'),
      key: textOf(values, 'key'),
    });
    const api = new Api(server, { key });
    try {
      const query = values.all ? {} : { state: 'active' as const, limit: SHOWN };
      const transfers = await firstContact.run(() => api.call(listTransfers, { query, signal }), signal);
      const rows = transfers.map((transfer) => ({ ...transfer, link: shareLink(server, transfer.token) }));
      const none = values.all ? 'There are no transfers.' : 'There are no active transfers.';
      return { text: rows.length > 0 ? rows.map(describe).join('\n') : none, facts: { transfers: rows } };
    } finally {
      api.close();
    }
  },
};

function describe(transfer: Transfer & { link: string }): string {
  const { link, fileCount, totalSize, downloadCount, maxDownloads, isPasswordProtected } = transfer;
  const facts = [
    countFiles(fileCount),
    formatSize(totalSize),
    `${downloadCount}${maxDownloads === null ? '' : ` of ${maxDownloads}`} ${downloadCount === 1 && maxDownloads === null ? 'download' : 'downloads'}`,
    describeEnd(transfer),
    ...(isPasswordProtected ? ['password'] : []),
  ];
  return `${colour('bold', toOneLine(nameTransfer(transfer)), process.stdout)}\n  ${link}\n  ${facts.join(' · ')}`;
}

function describeEnd({ isExpired, isTakenDown, scanState, isLimitReached, expiresAt }: Transfer): string {
  if (isTakenDown) return 'closed by an administrator';
  if (scanState === 'blocked') return 'blocked: a file in it may be dangerous';
  if (scanState !== null && scanState !== 'partial') return 'being checked for malware';
  if (isExpired) return 'expired';
  if (isLimitReached) return 'download limit reached';
  if (expiresAt === null) return 'no expiry';
  return `expires in ${formatDuration((Date.parse(expiresAt) - Date.now()) / 1_000)}`;
}
