import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Fingerprint } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FactorProof, SecondFactor } from '../../contracts/accounts/sign-in/sign-in.ts';
import { Button } from '../components/actions/button.tsx';
import { CoolDownButton } from '../components/actions/cool-down-button.tsx';
import { CodeField } from '../components/form/code-field.tsx';
import { TextField } from '../components/form/text-field.tsx';
import { CODE_LENGTH } from '../lib/values/code.ts';
import { describePasskeyObstacle } from './passkeys.ts';

/** The caller asks the browser for the passkey. */
export type ChosenProof = Exclude<FactorProof, { method: 'passkey' }> | 'passkey';

type FormState = {
  onProof: (proof: ChosenProof) => void;
  isPending: boolean;
  /** Why the last proof was refused. */
  error: string | undefined;
  secondsLeft: number;
  submitLabel: string;
};

type FactorFormProps = FormState & {
  /** The account's, the strongest first. */
  factors: readonly SecondFactor[];
  /** Below the form. */
  children?: ReactNode;
};

/** Asks for a passkey, for the code of the authenticator app, or for a recovery code. */
export function FactorForm({ factors, children, ...form }: FactorFormProps) {
  const obstacle = describePasskeyObstacle();
  const usable = factors.filter((factor) => factor !== 'passkey' || !obstacle);
  const [method, setMethod] = useState(usable[0]);
  const others = usable.filter((factor) => factor !== method);
  return (
    <div className="flex flex-col gap-6">
      {/* The key discards what was typed for another method. */}
      {method === 'passkey' && <PasskeyPrompt {...form} />}
      {(method === 'totp' || method === 'recovery-code') && (
        <CodeForm key={method} method={method} {...form} />
      )}
      {!method && <p className="text-ink-soft">{obstacle}</p>}
      <div className="flex flex-col items-center gap-1">
        {others.map((factor) => (
          <Button key={factor} type="button" variant="ghost" size="sm" onClick={() => setMethod(factor)}>
            {nameChoice(factor)}
          </Button>
        ))}
        {children}
      </div>
    </div>
  );
}

function nameChoice(factor: SecondFactor): string {
  switch (factor) {
    case 'passkey':
      return t`Use a passkey`;
    case 'totp':
      return t`Use the authenticator app`;
    case 'recovery-code':
      return t`Use a recovery code`;
  }
}

function PasskeyPrompt({ onProof, isPending, error, secondsLeft }: FormState) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <>
      {error && (
        <p role="alert" className="text-danger-ink">
          {error}
        </p>
      )}
      <CoolDownButton
        ref={button}
        size="lg"
        data-initial-focus
        icon={<Fingerprint aria-hidden="true" />}
        isBusy={isPending}
        secondsLeft={secondsLeft}
        waitingLabel={t`Try again`}
        onClick={() => onProof('passkey')}
      >
        <Trans>Use a passkey</Trans>
      </CoolDownButton>
    </>
  );
}

/** The code of an app submits itself at the sixth digit. */
function CodeForm({
  method,
  onProof,
  isPending,
  error,
  secondsLeft,
  submitLabel,
}: FormState & { method: 'totp' | 'recovery-code' }) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef('');
  useEffect(() => {
    if (method !== 'totp' || isPending || secondsLeft > 0 || code === sent.current) return;
    sent.current = code;
    if (code.length === CODE_LENGTH) onProof({ method, code });
  }, [method, code, isPending, secondsLeft, onProof]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: selects the code again after each error.
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onProof({ method, code });
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
    </form>
  );
}
