import { ApiError } from '../../client/api-error.ts';
import type { SecondFactor } from '../../contracts/accounts/sign-in/sign-in.ts';

/** The factors that a refused sign-in asks for; undefined for other errors. */
export function readFactors(error: unknown): SecondFactor[] | undefined {
  if (!(error instanceof ApiError && error.code === 'second_factor_required')) return undefined;
  return error.problem.factors as SecondFactor[];
}
