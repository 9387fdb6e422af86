import { useLocation, useSearchParams } from 'wouter';
import {
  TRANSFER_ORIGINS,
  TRANSFER_SORTS,
  TRANSFER_STATES,
} from '../../../../contracts/transfers/transfers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { usePlace } from '../../../lib/routing.tsx';

/** Filter and order of the list, as written in the page's address. */
export type ListView = {
  /** The tab. */
  origin: (typeof TRANSFER_ORIGINS)[number];
  /** '' for all. */
  search: string;
  sort: (typeof TRANSFER_SORTS)[number];
  state: (typeof TRANSFER_STATES)[number] | 'all';
};

export const FULL_LIST: ListView = { origin: 'sent', search: '', sort: 'newest', state: 'all' };

/** Parses the query string; missing and unknown values get their defaults. */
export function readListView(params: URLSearchParams): ListView {
  return {
    origin: TRANSFER_ORIGINS.find((origin) => origin === params.get('origin')) ?? FULL_LIST.origin,
    search: (params.get('search') ?? '').trim(),
    sort: TRANSFER_SORTS.find((sort) => sort === params.get('sort')) ?? FULL_LIST.sort,
    state: TRANSFER_STATES.find((state) => state === params.get('state')) ?? FULL_LIST.state,
  };
}

/** The query string, without defaults. */
export function writeListView(view: ListView): string {
  const nonDefault = Object.entries(view).filter(
    ([name, value]) => value !== FULL_LIST[name as keyof ListView],
  );
  return new URLSearchParams(nonDefault).toString();
}

/** Whether the view may leave transfers of its tab out. */
export function isNarrowed({ search, state }: ListView): boolean {
  return search !== '' || state !== 'all';
}

/** The view in the page's address. Each change is a history entry; typing one search is a single entry. */
export function useListView() {
  const [params, setParams] = useSearchParams();
  const view = readListView(params);
  const change = (changes: Partial<ListView>) => {
    const isTyping = Boolean(view.search && changes.search);
    setParams(writeListView({ ...view, ...changes }), { replace: isTyping });
  };
  const clear = () => setParams(writeListView({ ...FULL_LIST, origin: view.origin, sort: view.sort }));
  return { view, change, clear };
}

/** State of a history entry that was opened from the list. */
export const FROM_LIST = { isFromList: true };

/** Goes back to the list as it was left, or to its start if the visitor didn't come from there. */
export function useBackToList(): () => void {
  const [, navigate] = useLocation();
  const { state } = usePlace();
  return () => {
    if ((state as Partial<typeof FROM_LIST> | null)?.isFromList) window.history.back();
    else navigate(PAGES.dashboard);
  };
}
