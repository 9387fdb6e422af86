import { useMutation, useQuery } from '@tanstack/react-query';
import { ApiError, refusalText } from '../../../client/api-error.ts';
import {
  createInvitation,
  deleteInvitation,
  type Invitation,
  listArrivals,
  listInvitations,
  toggleInvitation,
  updateInvitation,
} from '../../../contracts/transfers/invitations.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { refreshSession } from '../../api/session.ts';
import { toast } from '../../components/feedback/toast.ts';
import type { InvitationBody } from './invitation-form.ts';

const INVITATIONS_KEY = ['/api/upload-invitations'];

/** Refetched when the page opens, because visitors may have uploaded meanwhile. */
export function useInvitations(isIncluded: boolean) {
  return useQuery({
    queryKey: INVITATIONS_KEY,
    queryFn: ({ signal }) => call(listInvitations, { signal }),
    refetchOnMount: 'always',
    enabled: isIncluded,
  });
}

/** What arrived through one invitation. */
export function useArrivals(id: string) {
  return useQuery({
    queryKey: [...INVITATIONS_KEY, id, 'arrivals'],
    queryFn: ({ signal }) => call(listArrivals, { params: { id }, signal }),
    refetchOnMount: 'always',
  });
}

export function useCreateInvitation() {
  return useMutation({
    mutationFn: (body: InvitationBody) => call(createInvitation, { body }),
    onSuccess: (invitation) => {
      changeListed((listed) => [invitation, ...listed]);
      toast({ title: 'Upload invitation created successfully' });
    },
    onError: showError,
  });
}

export function useUpdateInvitation(id: string) {
  return useMutation({
    mutationFn: (changes: Partial<InvitationBody>) =>
      call(updateInvitation, { params: { id }, body: changes }),
    onSuccess: (invitation) => {
      replaceListed(invitation);
      toast({ title: 'Changes saved', description: 'Visitors see them from now on.' });
    },
    onError: showError,
  });
}

export function useToggleInvitation(id: string) {
  return useMutation({
    mutationFn: (isActive: boolean) => call(toggleInvitation, { params: { id }, body: { isActive } }),
    onSuccess: (invitation) => {
      replaceListed(invitation);
      toast({ title: 'Upload invitation status updated' });
    },
    onError: showError,
  });
}

export function useDeleteInvitation(id: string) {
  return useMutation({
    mutationFn: () => call(deleteInvitation, { params: { id } }),
    onSuccess: () => {
      changeListed((listed) => listed.filter((each) => each.id !== id));
      toast({ title: 'Upload invitation deleted successfully' });
    },
    onError: showError,
  });
}

function replaceListed(invitation: Invitation): void {
  changeListed((listed) => listed.map((each) => (each.id === invitation.id ? invitation : each)));
}

function changeListed(change: (listed: Invitation[]) => Invitation[]): void {
  queryClient.setQueryData<Invitation[]>(INVITATIONS_KEY, (listed) => listed && change(listed));
}

/** Shows the error and refetches data that may have changed in another window. */
function showError(error: unknown): void {
  toast({ title: 'Error', description: refusalText(error), variant: 'destructive' });
  if (!(error instanceof ApiError)) return;
  if (error.status === 404) void queryClient.invalidateQueries({ queryKey: INVITATIONS_KEY, exact: true });
  if (error.status === 402) void refreshSession();
}
