import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { useCodeRequest } from './use-code-request.ts';
import { VisitorCodeForm } from './visitor-code-form.tsx';

type ProveAgainProps = {
  token: string;
  /** What was begun with this address can be gone on with by it alone. */
  email: string;
  onProved: () => void;
  onRefused: (error: unknown) => void;
};

/** The grant has ended while files were under way: a new code, and the upload goes on where it stopped. */
export function ProveAgain({ token, email, onProved, onRefused }: ProveAgainProps) {
  const [isSent, setSent] = useState(false);
  const { ask, isBusy } = useCodeRequest({ token, onRefused });
  const address = <strong className="font-medium wrap-anywhere text-ink">{email}</strong>;
  if (!isSent) {
    return (
      <>
        <p className="max-w-[34rem] text-ink-soft">
          Nothing is lost. For your safety, please prove once more that {address} is yours; then the upload
          goes on where it stopped.
        </p>
        <Button className="mt-5" isBusy={isBusy} onClick={async () => setSent(await ask(email))}>
          Send Verification Code
        </Button>
      </>
    );
  }
  return (
    <>
      <p className="mb-5 max-w-[34rem] text-ink-soft">The code went to {address}.</p>
      <VisitorCodeForm
        token={token}
        email={email}
        welcome="Your upload goes on"
        onVerified={onProved}
        onRefused={onRefused}
      />
    </>
  );
}
