import { useState } from 'react';
import { Dialog } from '../../components/actions/dialog.tsx';
import { ReportForm } from './report-form.tsx';

/** The link in the footer, and what it opens. */
export function ReportAbuse({ token }: { token: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        Report abuse
      </button>
      <Dialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title="Report this transfer"
        description="Tell us what is wrong with it. The sender does not learn who reported it."
      >
        <ReportForm token={token} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
