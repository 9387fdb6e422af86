import { Trans } from '@lingui/react/macro';
import { errorDetail } from '../../client/api-error.ts';
import { Button } from '../components/actions/button.tsx';

type LoadFailureProps = {
  /** A whole sentence, such as "Your sessions couldn't be loaded." */
  message: string;
  error: Error;
  onRetry: () => void;
};

export function LoadFailure({ message, error, onRetry }: LoadFailureProps) {
  return (
    <div role="alert" className="flex flex-wrap items-center justify-between gap-4">
      <p className="text-ink-soft">
        {message} {errorDetail(error)}
      </p>
      <Button variant="secondary" size="sm" onClick={onRetry}>
        <Trans>Try again</Trans>
      </Button>
    </div>
  );
}
