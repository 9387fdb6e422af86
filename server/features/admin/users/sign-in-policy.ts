import type { FastifyInstance } from 'fastify';
import {
  getSignInPolicy as getCall,
  type SignInPolicy,
  updateSignInPolicy as updateCall,
} from '../../../../contracts/accounts/sign-in/policy.ts';
import type { Context } from '../../../context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { forgetSignInPolicy, getSignInPolicy, saveSignInPolicy } from '../../accounts/index.ts';
import { type By, byCaller, recordAct } from '../audit.ts';

export function signInPolicyRoutes(app: FastifyInstance, context: Context): void {
  route(app, getCall, () => getSignInPolicy(context));
  route(app, updateCall, (call) => updateSignInPolicy(context, byCaller(context, call), call.body));
}

async function updateSignInPolicy(context: Context, by: By, policy: SignInPolicy): Promise<SignInPolicy> {
  const before = await getSignInPolicy(context);
  await transaction(context.db, async (trx) => {
    await saveSignInPolicy({ ...context, db: trx }, policy);
    const details = { from: before, to: policy };
    await recordAct(trx, { ...by, action: 'sign-in-policy.update', subject: 'How people sign in', details });
  });
  forgetSignInPolicy(context);
  return policy;
}
