import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
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
import { addRow, queryOf, removeRows, replaceRow } from '../../api/endpoint-query.ts';
import { useAction } from '../../api/use-action.ts';
import type { InvitationBody, InvitationForm } from './invitation-form.ts';

const outdated = [listInvitations];

/** Refetched when the page opens, because visitors may have uploaded meanwhile. */
export function useInvitations(isIncluded: boolean) {
  return useQuery({ ...queryOf(listInvitations), refetchOnMount: 'always', enabled: isIncluded });
}

/** The transfers received through one invitation. */
export function useArrivals(id: string) {
  return useQuery({ ...queryOf(listArrivals, { params: { id } }), refetchOnMount: 'always' });
}

export function useCreateInvitation(
  form: UseFormReturn<InvitationForm>,
  onCreated: (invitation: Invitation) => void,
) {
  return useAction(createInvitation, {
    form,
    onSuccess: (invitation) => {
      addRow(listInvitations, invitation);
      onCreated(invitation);
    },
    success: { title: t`Upload invitation created successfully` },
  });
}

export function useUpdateInvitation(id: string, form: UseFormReturn<InvitationForm>) {
  return useAction((body: Partial<InvitationBody>) => call(updateInvitation, { params: { id }, body }), {
    form,
    outdated,
    onSuccess: (invitation) => replaceRow(listInvitations, invitation),
    success: { title: t`Changes saved`, description: t`Visitors see them from now on.` },
  });
}

export function useToggleInvitation(id: string) {
  return useAction((isActive: boolean) => call(toggleInvitation, { params: { id }, body: { isActive } }), {
    outdated,
    onSuccess: (invitation) => replaceRow(listInvitations, invitation),
    success: { title: t`Upload invitation status updated` },
  });
}

export function useDeleteInvitation(id: string) {
  return useAction(() => call(deleteInvitation, { params: { id } }), {
    outdated,
    onSuccess: () => removeRows(listInvitations, id),
    success: { title: t`Upload invitation deleted successfully` },
  });
}
