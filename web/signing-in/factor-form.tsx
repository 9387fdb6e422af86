import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FactorProof, SecondFactor } from '../../contracts/accounts/sign-in.ts';
import { Button } from '../components/actions/button.tsx';
import { CoolDownButton } from '../components/actions/cool-down-button.tsx';
import { CodeField } from '../components/form/code-field.tsx';
import { TextField } from '../components/form/text-field.tsx';
import { CODE_LENGTH } from '../lib/values/code.ts';

type FactorFormProps = {
  /** The account's, the strongest first. */
  factors: readonly SecondFactor[];
  onProof: (proof: FactorProof) => void;
  isPending: boolean;
  /** Why the last proof was refused. */
  error: string | undefined;
  secondsLeft: number;
  submitLabel: string;
  /** Below the form. */
  children?: ReactNode;
};

/** Asks for the code of the authenticator app, or for a recovery code. The code submits itself at the sixth digit. */
export function FactorForm({ factors, onProof, error, children, ...button }: FactorFormProps) {
  const [method, setMethod] = useState<'totp' | 'recovery-code'>(
    factors.includes('totp') ? 'totp' : 'recovery-code',
  );
  const [code, setCode] = useState('');
  const { isPending, secondsLeft, submitLabel } = button;
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef('');
  useEffect(() => {
    if (method !== 'totp' || isPending || secondsLeft > 0 || code === sent.current) return;
    sent.current = code;
    if (code.length === CODE_LENGTH) onProof({ method, code });
  }, [method, code, isPending, secondsLeft, onProof]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a refusal and another method start again.
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [method, error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onProof({ method, code });
  };
  const choose = (next: typeof method) => {
    setMethod(next);
    setCode('');
  };
  const isComplete = method === 'totp' ? code.length === CODE_LENGTH : code.trim() !== '';
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-6">
      {method === 'totp' ? (
        <CodeField
          ref={field}
          label={t`Code of your authenticator app`}
          value={code}
          onChange={setCode}
          error={error}
        />
      ) : (
        <TextField
          ref={field}
          label={t`Recovery code`}
          hint={t`One of the ten codes you saved. Each works once.`}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          error={error}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
      <CoolDownButton
        type="submit"
        size="lg"
        disabled={!isComplete}
        isBusy={isPending}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
      >
        {submitLabel}
      </CoolDownButton>
      <div className="flex flex-col items-center gap-1">
        {method === 'totp' && factors.includes('recovery-code') && (
          <Button type="button" variant="ghost" size="sm" onClick={() => choose('recovery-code')}>
            <Trans>Use a recovery code</Trans>
          </Button>
        )}
        {method === 'recovery-code' && factors.includes('totp') && (
          <Button type="button" variant="ghost" size="sm" onClick={() => choose('totp')}>
            <Trans>Use the authenticator app</Trans>
          </Button>
        )}
        {children}
      </div>
    </form>
  );
}
