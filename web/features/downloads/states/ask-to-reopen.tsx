import { lateModule } from '../../../lib/loading/late-module.ts';

const useRequest = lateModule(() => import('./reopen-request.tsx'));

/** Keeps the button's place while its code loads. */
export function AskToReopen({ token }: { token: string }) {
  const loaded = useRequest(true);
  return <div className="mt-8 min-h-control-md">{loaded && <loaded.ReopenRequest token={token} />}</div>;
}
