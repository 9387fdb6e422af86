import { Link } from 'react-router';

type LinkTabsProps = {
  label: string;
  tabs: readonly { search: string; label: string }[];
  /** The `search` of the one that is shown. */
  current: string;
};

/** Links, because each leads to a list that has an address of its own. */
export function LinkTabs({ label, tabs, current }: LinkTabsProps) {
  return (
    <nav aria-label={label} className="mb-6 flex gap-6 border-b border-line">
      {tabs.map((tab) => (
        <Link
          key={tab.search}
          to={{ search: tab.search }}
          aria-current={tab.search === current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent py-2.5 font-medium text-ink-soft transition-colors duration-(--quick) hover:text-ink aria-[current=page]:border-accent-ink aria-[current=page]:text-ink"
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
