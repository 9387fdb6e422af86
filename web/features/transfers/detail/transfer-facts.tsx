import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CalendarClock, Flame, Lock, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Transfer, TransferDetail } from '../../../../contracts/transfers/transfers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { formatDate, formatDateTime, formatTime } from '../../../lib/time/format-dates.ts';
import { LimitedPreviews } from '../../../transfer-settings/limited-previews.tsx';
import { useIsExpired } from '../transfer-badges.tsx';

export function TransferTotals({ transfer }: { transfer: Transfer }) {
  const { totalSize, downloadCount, maxDownloads, fileCount } = transfer;
  return (
    <dl className="mt-rhythm grid grid-cols-2 gap-y-7 border-y border-line py-7 lg:grid-cols-4 lg:divide-x lg:divide-line">
      <Total label={t`Total size`}>{formatSize(totalSize)}</Total>
      <Total label={t`Total downloads`}>
        {formatCount(downloadCount)}
        {maxDownloads !== null && <span className="text-ink-faint"> / {formatCount(maxDownloads)}</span>}
      </Total>
      <Total label={fileCount === 1 ? t`File` : t`Files`}>{formatCount(fileCount)}</Total>
      <Expiration transfer={transfer} />
    </dl>
  );
}

function Expiration({ transfer }: { transfer: Transfer }) {
  const { expiresAt, status } = transfer;
  const isExpired = useIsExpired(transfer);
  if (expiresAt === null && status === 'arriving') return <Total label={t`Expiration`}>–</Total>;
  if (expiresAt === null)
    return (
      <Total label={t`Expiration`}>
        <Trans>Never</Trans>
      </Total>
    );
  return (
    <Total label={t`${isExpired ? t`Expired` : t`Expires`} at ${formatTime(expiresAt)}`}>
      <time dateTime={expiresAt}>{formatDate(expiresAt)}</time>
    </Total>
  );
}

function Total({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col-reverse justify-end gap-1 pr-4 lg:not-first:pl-7">
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="tabular font-heading text-xl">{children}</dd>
    </div>
  );
}

/** Whether `TransferFacts` renders anything. */
export function hasFacts(transfer: Transfer): boolean {
  return Boolean(transfer.message) || listRules(transfer).length > 0;
}

/** The message and the settings, if there are any. */
export function TransferFacts({ transfer }: { transfer: TransferDetail }) {
  const { message, maxDownloads, files } = transfer;
  const hidesPreviews = maxDownloads !== null && files.some(({ preview }) => preview && preview !== 'image');
  const rules = listRules(transfer);
  return (
    <>
      {message && (
        <Fact title={t`Message`}>
          <p dir="auto" className="wrap-anywhere whitespace-pre-wrap text-ink-soft">
            {message}
          </p>
        </Fact>
      )}
      {rules.length > 0 && (
        <Fact title={t`Settings`}>
          <ul className="flex flex-col gap-2 text-ink-soft">
            {rules.map(({ icon: Icon, text }) => (
              <li key={text} className="flex gap-2.5">
                <Icon aria-hidden="true" strokeWidth={1.75} className="mt-1 size-4 shrink-0 text-ink-faint" />
                {text}
              </li>
            ))}
          </ul>
          {hidesPreviews && <LimitedPreviews className="mt-3 text-sm text-ink-faint" />}
        </Fact>
      )}
    </>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 text-xl">{title}</h2>
      {children}
    </section>
  );
}

function listRules(transfer: Transfer): { icon: LucideIcon; text: string }[] {
  const { isPasswordProtected, maxDownloads, autoDeleteAfterDownloads, scheduledAvailableAt } = transfer;
  const rules: { icon: LucideIcon; text: string }[] = [];
  if (isPasswordProtected) rules.push({ icon: Lock, text: t`Password protected` });
  if (maxDownloads !== null) {
    const text = autoDeleteAfterDownloads
      ? plural(maxDownloads, {
          one: 'At most # download, then it is deleted',
          other: 'At most # downloads, then it is deleted',
        })
      : plural(maxDownloads, { one: 'At most # download', other: 'At most # downloads' });
    rules.push({ icon: Flame, text });
  }
  if (scheduledAvailableAt) {
    rules.push({ icon: CalendarClock, text: t`Available from ${formatDateTime(scheduledAvailableAt)}` });
  }
  return rules;
}
