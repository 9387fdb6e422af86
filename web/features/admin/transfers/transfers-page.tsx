import { t } from '@lingui/core/macro';
import { useSearchParams } from 'wouter';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { Link, withQuery } from '../../../lib/routing.tsx';
import { AdminPage } from '../admin-page.tsx';
import { AllTransfers } from './all-transfers.tsx';
import { HeldFiles } from './held-files.tsx';
import { Lookup } from './lookup.tsx';
import { Reports } from './reports.tsx';

const TABS = [
  { search: '', label: t`All transfers`, Content: AllTransfers },
  { search: 'tab=reports', label: t`Reports`, Content: Reports },
  { search: 'tab=held', label: t`Held files`, Content: HeldFiles },
  { search: 'tab=lookup', label: t`Look up`, Content: Lookup },
] as const;

export function AdminTransfersPage() {
  const [params] = useSearchParams();
  const tab = TABS.find(({ search }) => search === `tab=${params.get('tab')}`) ?? TABS[0];
  return (
    <AdminPage title={t`Transfers`}>
      <LinkTabs label={t`Transfers and reports`} tabs={TABS} current={tab.search} />
      <tab.Content />
    </AdminPage>
  );
}

type LinkTabsProps = {
  label: string;
  tabs: readonly { search: string; label: string }[];
  current: string;
};

/** Tabs as links: each list has its own address. */
function LinkTabs({ label, tabs, current }: LinkTabsProps) {
  return (
    <nav
      aria-label={label}
      className="-mt-2 mb-3 flex gap-6 overflow-x-auto overflow-y-hidden border-b border-line whitespace-nowrap"
    >
      {tabs.map((tab) => (
        <Link
          key={tab.search}
          to={withQuery(PAGES.adminTransfers, tab.search)}
          aria-current={tab.search === current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent py-2 font-medium text-ink-soft transition-colors duration-(--quick) hover:text-ink aria-[current=page]:border-accent-ink aria-[current=page]:text-ink"
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
