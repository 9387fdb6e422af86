import { t } from '@lingui/core/macro';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { ACCOUNT_PASSWORD_MIN } from '../../../../contracts/plans/limits.ts';
import { type FormErrors, markTold } from '../../../api/forms/field-errors.ts';
import { toast } from '../../../components/feedback/toast.ts';

/** Why a profile form isn't sent: the toast and the error of each field. */
type Refusal<Field extends string> = {
  title: string;
  description: string;
  errors: Partial<Record<Field, string>>;
};

/** The toast says it, and the fields are marked. */
export function toastRefusal<Form extends FieldValues>(
  form: UseFormReturn<Form>,
  refusal: Refusal<FieldPath<Form>> | undefined,
): void {
  if (!refusal) return;
  const { title, description, errors } = refusal;
  toast({ title, description, variant: 'destructive' });
  markTold(form, errors as FormErrors<Form>);
}

type EmailChange = { currentPassword: string };

/** Whether the account has a password, without which none is asked for. */
type Account = { hasPassword: boolean };

export function checkEmailChange(
  { currentPassword }: EmailChange,
  { hasPassword }: Account,
): Refusal<keyof EmailChange> | undefined {
  if (currentPassword || !hasPassword) return undefined;
  return {
    title: t`Password Required`,
    description: t`Please enter your current password to change your email address.`,
    errors: { currentPassword: t`Please enter your current password.` },
  };
}

export type PasswordChange = { currentPassword: string; newPassword: string; confirmPassword: string };

/** Checks in this order: both given, confirmation equal, long enough. */
export function checkPasswordChange(
  { currentPassword, newPassword, confirmPassword }: PasswordChange,
  { hasPassword }: Account,
): Refusal<keyof PasswordChange> | undefined {
  const lacksCurrent = hasPassword && !currentPassword;
  if (lacksCurrent || !newPassword) {
    return {
      title: t`Missing Fields`,
      description: hasPassword
        ? t`Please enter both your current and your new password.`
        : t`Please enter a new password.`,
      errors: {
        ...(lacksCurrent && { currentPassword: t`Please enter your current password.` }),
        ...(!newPassword && { newPassword: t`Please enter a new password.` }),
      },
    };
  }
  if (newPassword !== confirmPassword) {
    return {
      title: t`Passwords Don't Match`,
      description: t`The new password and its confirmation must be the same.`,
      errors: { confirmPassword: t`Passwords don't match` },
    };
  }
  if (newPassword.length < ACCOUNT_PASSWORD_MIN) {
    const sentence = t`Please use at least ${ACCOUNT_PASSWORD_MIN} characters.`;
    return { title: t`Password Too Short`, description: sentence, errors: { newPassword: sentence } };
  }
  return undefined;
}
