import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download, Upload } from 'lucide-react';
import { type ChangeEvent, type FormEvent, useRef, useState } from 'react';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog, DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { TextField } from '../../../components/form/text-field.tsx';
import { useInboxes, useKeys } from '../../../key-ring/use-keys.ts';
import { saveFile } from '../../../lib/browser/save-file.ts';
import { SettingsSection } from '../settings-section.tsx';

const loadKeyFile = () => import('../../../key-ring/key-file.ts');

/** Takes the keys of encrypted transfers to another browser, or to a safe place. */
export function KeysSection({ user }: { user: CurrentUser }) {
  const keys = useKeys(true);
  const kept = [...(keys?.values() ?? [])].filter(({ isDraft }) => !isDraft);
  const inboxes = [...(useInboxes(true)?.values() ?? [])];
  const count = kept.length + inboxes.length;
  const [isExporting, setExporting] = useState(false);
  const [file, setFile] = useState<File>();
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = target.files ?? [];
    // Choosing the same file again is a change, too.
    target.value = '';
    if (chosen) void importKeys(chosen, { password: '', owner: user.id, onLocked: () => setFile(chosen) });
  };
  return (
    <SettingsSection
      id="keys"
      title={t`Keys of encrypted transfers`}
      description={t`This browser keeps the keys of your encrypted transfers and invitations, so that you can copy their links again and open what you received. Nobody can restore them: export them before you clear this browser’s data.`}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p data-testid="key-count">{plural(count, { 0: 'No keys', one: '# key', other: '# keys' })}</p>
        <div className="flex flex-wrap gap-2">
          <Button
            variant="secondary"
            icon={<Download />}
            disabled={count === 0}
            onClick={() => setExporting(true)}
          >
            <Trans>Export keys</Trans>
          </Button>
          <Button variant="secondary" icon={<Upload />} onClick={() => input.current?.click()}>
            <Trans>Import keys</Trans>
          </Button>
          <input
            ref={input}
            type="file"
            accept=".json,application/json"
            hidden
            aria-label={t`Import keys`}
            onChange={choose}
          />
        </div>
      </div>
      <PasswordDialog
        isOpen={isExporting}
        onClose={() => setExporting(false)}
        title={t`Export keys`}
        description={t`With this file, people can open each of your encrypted transfers whose link they have, and with access to your account also what you received. A password protects the file.`}
        label={t`Export`}
        isOptional
        onSubmit={async (password) => {
          const { writeKeyFile } = await loadKeyFile();
          saveFile(await writeKeyFile(kept, inboxes, password), 'sendwell-keys.json');
          return true;
        }}
      />
      <PasswordDialog
        isOpen={file !== undefined}
        onClose={() => setFile(undefined)}
        title={t`Import keys`}
        description={t`This file is protected by a password.`}
        label={t`Import`}
        onSubmit={(password) => importKeys(file!, { password, owner: user.id, onLocked: tellWrongPassword })}
      />
    </SettingsSection>
  );
}

type Import = { password: string; owner: string; onLocked: () => void };

/** Returns whether it is done. */
async function importKeys(file: File, { password, owner, onLocked }: Import): Promise<boolean> {
  const { importKeyFile, KeyFileError, KeyFilePasswordError } = await loadKeyFile();
  try {
    const added = await importKeyFile(file, password, owner);
    toast({ title: plural(added, { 0: 'No new keys', one: '# key imported', other: '# keys imported' }) });
    return true;
  } catch (error) {
    if (error instanceof KeyFilePasswordError) onLocked();
    else
      toast({
        title: t`The keys were not imported`,
        description:
          error instanceof KeyFileError
            ? t`This file contains no keys.`
            : t`This browser does not allow pages to store data.`,
        variant: 'destructive',
      });
    return false;
  }
}

function tellWrongPassword(): void {
  toast({ title: t`This is not the password of the file`, variant: 'destructive' });
}

type PasswordDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  description: string;
  /** Of the button. */
  label: string;
  isOptional?: boolean;
  /** Resolves with whether it worked. */
  onSubmit: (password: string) => Promise<boolean>;
};

function PasswordDialog({ isOpen, onClose, title, description, ...form }: PasswordDialogProps) {
  return (
    <Dialog isOpen={isOpen} onOpenChange={onClose} size="sm" title={title} description={description}>
      <PasswordForm onClose={onClose} {...form} />
    </Dialog>
  );
}

type PasswordFormProps = Pick<PasswordDialogProps, 'onClose' | 'label' | 'isOptional' | 'onSubmit'>;

/** Mounted while the dialog is open, so that the password is forgotten. */
function PasswordForm({ onClose, label, isOptional = false, onSubmit }: PasswordFormProps) {
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const isDone = await onSubmit(password);
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <form noValidate onSubmit={submit}>
      <TextField
        label={t`Password`}
        type="password"
        autoComplete="new-password"
        isOptional={isOptional}
        data-initial-focus
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isBusy} disabled={!isOptional && password === ''}>
          {label}
        </Button>
      </DialogFooter>
    </form>
  );
}
