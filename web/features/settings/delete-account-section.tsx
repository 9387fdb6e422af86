import { useState } from 'react';
import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DeleteAccountForm } from './delete-account-form.tsx';
import { SettingsSection } from './settings-section.tsx';

/** The way out, last on the page and behind two proofs. */
export function DeleteAccountSection({ user }: { user: CurrentUser }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <SettingsSection
      id="delete-account"
      description="Your transfers, their files and everything about you are deleted. This cannot be undone."
    >
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      <Dialog isOpen={isOpen} onOpenChange={setOpen} title="Delete your account?">
        <DeleteAccountForm user={user} onCancel={() => setOpen(false)} />
      </Dialog>
    </SettingsSection>
  );
}
