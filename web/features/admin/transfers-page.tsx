import { useSearchParams } from 'react-router';
import { AdminPage } from './admin-page.tsx';
import { AllTransfers } from './all-transfers.tsx';
import { HeldFiles } from './held-files.tsx';
import { LinkTabs } from './link-tabs.tsx';
import { Lookup } from './lookup.tsx';
import { Reports } from './reports.tsx';

const TABS = [
  { search: '', label: 'All transfers' },
  { search: 'tab=reports', label: 'Reports' },
  { search: 'tab=held', label: 'Held files' },
  { search: 'tab=lookup', label: 'Look up' },
] as const;

/** Everybody's transfers, reports about them, and what became of those that are gone. */
export function AdminTransfersPage() {
  const [params] = useSearchParams();
  const tab = TABS.find(({ search }) => search === `tab=${params.get('tab')}`) ?? TABS[0];
  return (
    <AdminPage title="Transfers">
      <LinkTabs label="Transfers and reports" tabs={TABS} current={tab.search} />
      {tab.label === 'All transfers' && <AllTransfers />}
      {tab.label === 'Reports' && <Reports />}
      {tab.label === 'Held files' && <HeldFiles />}
      {tab.label === 'Look up' && <Lookup />}
    </AdminPage>
  );
}
