import { useSearchParams } from 'react-router';
import { AdminPage } from './admin-page.tsx';
import { AllTransfers } from './all-transfers.tsx';
import { LinkTabs } from './link-tabs.tsx';
import { Reports } from './reports.tsx';

const TABS = [
  { search: '', label: 'All transfers' },
  { search: 'tab=reports', label: 'Reports' },
] as const;

/** Everybody's transfers, and what was reported about them (specification section 2, "Admin area"). */
export function AdminTransfersPage() {
  const [params] = useSearchParams();
  const isReports = params.get('tab') === 'reports';
  return (
    <AdminPage title="Transfers">
      <LinkTabs label="Transfers and reports" tabs={TABS} current={isReports ? 'tab=reports' : ''} />
      {isReports ? <Reports /> : <AllTransfers />}
    </AdminPage>
  );
}
