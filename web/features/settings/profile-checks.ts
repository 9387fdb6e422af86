import { ACCOUNT_PASSWORD_MIN } from '../../../contracts/plans/limits.ts';

/** What a form of the profile is refused with before anything is sent: the toast, and a word at each field. */
type Refusal<Field extends string> = {
  title: string;
  description: string;
  errors: Partial<Record<Field, string>>;
};

type EmailChange = { currentPassword: string };

/** An email change requires the current password. */
export function checkEmailChange({ currentPassword }: EmailChange): Refusal<keyof EmailChange> | undefined {
  if (currentPassword) return undefined;
  return {
    title: 'Password Required',
    description: 'Please enter your current password to change your email address.',
    errors: { currentPassword: 'Please enter your current password.' },
  };
}

export type PasswordChange = { currentPassword: string; newPassword: string; confirmPassword: string };

/** Checks in this order: both passwords given, new password repeated correctly, long enough. */
export function checkPasswordChange({
  currentPassword,
  newPassword,
  confirmPassword,
}: PasswordChange): Refusal<keyof PasswordChange> | undefined {
  if (!currentPassword || !newPassword) {
    return {
      title: 'Missing Fields',
      description: 'Please enter both your current and your new password.',
      errors: {
        ...(!currentPassword && { currentPassword: 'Please enter your current password.' }),
        ...(!newPassword && { newPassword: 'Please enter a new password.' }),
      },
    };
  }
  if (newPassword !== confirmPassword) {
    return {
      title: "Passwords Don't Match",
      description: 'The new password and its confirmation must be the same.',
      errors: { confirmPassword: "Passwords don't match" },
    };
  }
  if (newPassword.length < ACCOUNT_PASSWORD_MIN) {
    const sentence = `Please use at least ${ACCOUNT_PASSWORD_MIN} characters.`;
    return { title: 'Password Too Short', description: sentence, errors: { newPassword: sentence } };
  }
  return undefined;
}
