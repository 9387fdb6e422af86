import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { refusalText } from '../../../client/api-error.ts';
import {
  type CreateInvitationInput,
  createInvitation,
  deleteInvitation,
  type Invitation,
  listArrivals,
  listInvitations,
  toggleInvitation,
  updateInvitation,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { call } from '../../api/call.ts';
import { addRow, queryOf, removeRows, replaceRow } from '../../api/endpoint-query.ts';
import { useAction } from '../../api/use-action.ts';
import { toast } from '../../components/feedback/toast.ts';
import { loadForUser } from '../../lib/loading/load-for-user.ts';
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

type Inbox = Awaited<ReturnType<typeof import('../../key-ring/inbox-keys.ts').prepareInbox>>;

/** A new key pair, which this browser can keep. Undefined if it can't, which is reported. */
export async function prepareInbox(owner: string): Promise<Inbox | undefined> {
  try {
    const inboxKeys = await loadForUser(() => import('../../key-ring/inbox-keys.ts'));
    return await inboxKeys.prepareInbox(owner).catch(tellUnkept);
  } catch (error) {
    toast({
      title: t`The invitation was not created`,
      description: refusalText(error),
      variant: 'destructive',
    });
    return undefined;
  }
}

function tellUnkept(): undefined {
  toast({
    title: t`The key could not be stored`,
    description: t`This browser does not allow pages to store data, so it could not open what arrives.`,
    variant: 'destructive',
  });
}

type Creation = { body: z.input<typeof CreateInvitationInput>; inbox?: Inbox };

/** With `inbox`, the invitation is encrypted. */
export function useCreateInvitation(
  form: UseFormReturn<InvitationForm>,
  onCreated: (invitation: Invitation) => void,
) {
  return useAction(
    async ({ body, inbox }: Creation) => {
      const invitation = await call(createInvitation, { body });
      // An invitation whose key is lost must not receive anything.
      await inbox?.keepFor(invitation.id).catch(async (error: unknown) => {
        await call(deleteInvitation, { params: { id: invitation.id } });
        throw error;
      });
      return invitation;
    },
    {
      form,
      onSuccess: (invitation) => {
        addRow(listInvitations, invitation);
        onCreated(invitation);
      },
      success: { title: t`Upload invitation created successfully` },
    },
  );
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
