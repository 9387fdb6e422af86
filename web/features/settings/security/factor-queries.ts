import { useQuery } from '@tanstack/react-query';
import { listFactors } from '../../../../contracts/accounts/factors.ts';
import { queryOf } from '../../../api/endpoint-query.ts';

export const useFactors = () => useQuery(queryOf(listFactors));
