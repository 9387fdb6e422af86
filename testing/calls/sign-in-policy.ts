import { DEFAULT_SIGN_IN_POLICY, type SignInPolicy } from '../../contracts/accounts/sign-in/policy.ts';
import { forgetSignInPolicy, saveSignInPolicy } from '../../server/features/accounts/sign-in/policy.ts';
import { transaction } from '../../server/platform/db/transaction.ts';
import type { TestServer } from '../test-context.ts';

/** Changes the rules of signing in, as an administrator does. */
export async function setPolicy(
  { context }: Pick<TestServer, 'context'>,
  changes: Partial<SignInPolicy>,
): Promise<void> {
  const policy = { ...DEFAULT_SIGN_IN_POLICY, ...changes };
  await transaction(context.db, (trx) => saveSignInPolicy({ ...context, db: trx }, policy));
  forgetSignInPolicy(context);
}

export const allowEmailSignIn = (server: Pick<TestServer, 'context'>) =>
  setPolicy(server, { emailSignIn: true });
