/** The parts of the page in order; the ids are fragments of its address, and mails link to them. */
export const SECTIONS = [
  { id: 'profile', label: 'Profile' },
  { id: 'password', label: 'Password' },
  { id: 'usage', label: 'Usage' },
  { id: 'notifications', label: 'Notifications' },
  { id: 'sessions', label: 'Sessions' },
  { id: 'delete-account', label: 'Delete account' },
] as const;

export type SectionId = (typeof SECTIONS)[number]['id'];
