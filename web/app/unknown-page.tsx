import { useSession } from '../api/session/session.ts';
import { NotFoundPage } from '../features/shell/not-found-page.tsx';

export function UnknownPage() {
  const { user } = useSession();
  return <NotFoundPage isSignedIn={user === undefined ? undefined : user !== null} />;
}
