import { TRANSFER_SORTS, TRANSFER_STATES } from '../../../contracts/transfers/transfers.ts';

const SORTS = TRANSFER_SORTS;
const STATES = TRANSFER_STATES;

/** Which transfers are listed, and in which order; as it stands in the page's address. */
export type ListView = {
  /** '' for all. */
  search: string;
  sort: (typeof SORTS)[number];
  state: (typeof STATES)[number] | 'all';
};

export const FULL_LIST: ListView = { search: '', sort: 'newest', state: 'all' };

/** What the address asks for; what it does not say or nobody knows is as usual. */
export function readListView(params: URLSearchParams): ListView {
  return {
    search: (params.get('search') ?? '').trim(),
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? FULL_LIST.sort,
    state: STATES.find((state) => state === params.get('state')) ?? FULL_LIST.state,
  };
}

/** The address' part after '?', without what is as usual. */
export function writeListView(view: ListView): string {
  const unusual = Object.entries(view).filter(([name, value]) => value !== FULL_LIST[name as keyof ListView]);
  return new URLSearchParams(unusual).toString();
}

/** Whether it may leave transfers out. */
export function isNarrowed({ search, state }: ListView): boolean {
  return search !== '' || state !== 'all';
}
