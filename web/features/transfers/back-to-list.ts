import { useLocation, useNavigate } from 'react-router';
import { PAGES } from '../../../contracts/values/pages.ts';

/** The state of a history entry that was opened from the list. */
export const FROM_LIST = { isFromList: true };

/** Leads to the list as it was left, when one came from there; else to its beginning. */
export function useBackToList(): () => void {
  const navigate = useNavigate();
  const { state } = useLocation();
  return () => {
    if ((state as Partial<typeof FROM_LIST> | null)?.isFromList) navigate(-1);
    else navigate(PAGES.dashboard);
  };
}
