import { t } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';

const LEVELS = [t`Weak`, t`Fair`, t`Good`, t`Strong`];
/** Points from which on a password has the next level. */
const STEPS = [9, 12, 16];

type PasswordStrengthProps = {
  password: string;
  /** The person's name, username and address, as far as they are known. */
  words?: (string | undefined)[];
};

/** An estimate while typing; the server decides. The list of common passwords is loaded with the first character. */
export function PasswordStrength({ password, words = [] }: PasswordStrengthProps) {
  const [common, setCommon] = useState<ReadonlySet<string>>();
  const isEmpty = password === '';
  useEffect(() => {
    if (isEmpty) return;
    import('../../../contracts/accounts/short-passwords.ts')
      .then((module) => setCommon(module.SHORT_COMMON_PASSWORDS))
      // Without the list, the estimate is only less strict.
      .catch(() => undefined);
  }, [isEmpty]);
  const level = rateStrength(password, { common, words });
  const word = LEVELS[level]!;
  return (
    <div className={classNames('-mt-3 flex items-center gap-3', isEmpty && 'sr-only')}>
      <span aria-hidden="true" className="flex grow gap-1">
        {LEVELS.map((each, index) => (
          <span
            key={each}
            className={classNames('h-1 grow rounded-full', index <= level ? 'bg-accent' : 'bg-line')}
          />
        ))}
      </span>
      <span aria-live="polite" className="text-sm text-ink-soft">
        {isEmpty ? '' : t`Strength: ${word}`}
      </span>
    </div>
  );
}

/** 0 (weak) to 3: each character counts one, each kind of character one more; repeated ones count once. */
export function rateStrength(
  password: string,
  { common, words = [] }: { common?: ReadonlySet<string> | undefined; words?: (string | undefined)[] } = {},
): number {
  const plain = password.toLowerCase();
  const own = words.flatMap((word) => (word ? word.toLowerCase().split(/[^\p{L}\p{N}]+/u) : []));
  if (common?.has(plain) || own.includes(plain)) return 0;
  const rest = own
    .filter((word) => word.length >= 4)
    .reduce((text, word) => text.replaceAll(word, ''), plain)
    .replace(/(.)\1+/gu, '$1');
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(password));
  const points = [...rest].length + kinds.length - 1;
  return STEPS.filter((step) => points >= step).length;
}
