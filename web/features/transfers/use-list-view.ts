import { useSearchParams } from 'react-router';
import { FULL_LIST, type ListView, readListView, writeListView } from './list-view.ts';

/**
 * The view of the list that the address asks for, and how to change it. A change is a step that Back takes back;
 * the letters of one search are one step.
 */
export function useListView() {
  const [params, setParams] = useSearchParams();
  const view = readListView(params);
  const change = (changes: Partial<ListView>) => {
    const isTyping = Boolean(view.search && changes.search);
    setParams(writeListView({ ...view, ...changes }), { replace: isTyping });
  };
  const clear = () => setParams(writeListView({ ...FULL_LIST, sort: view.sort }));
  return { view, change, clear };
}
