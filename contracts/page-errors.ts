/** The errors whose sentences pages show by themselves, too, so their translations are among those of pages. */
export const PAGE_ERRORS = {
  transfer_expired: {
    status: 410,
    message: 'This transfer has expired and is no longer available for download.',
  },
  transfer_taken_down: {
    status: 410,
    message: 'This transfer was taken down because it was reported. Its sender can tell you more.',
  },
  transfer_blocked: {
    status: 410,
    message: 'This transfer was blocked because a file in it may be dangerous. Its sender can tell you more.',
  },
  invalid_image: { status: 400, message: 'Please select an image file' },
  image_too_large: { status: 413, message: 'Please choose an image of at most {size}.' },
  ad_needs_content: { status: 400, message: 'An ad needs a file or an address.' },
  ad_dates_reversed: { status: 400, message: 'The end date must be after the start date.' },
  transfer_limit_exceeded: {
    status: 413,
    message: 'Your {tier} plan allows up to {size} per transfer. Upgrade to increase your limit.',
  },
  monthly_limit_exceeded: {
    status: 413,
    message:
      'Your {tier} plan allows {size} per month. You have {remaining} remaining. Upgrade for more capacity.',
  },
  invited_file_too_large: { status: 413, message: '{name} exceeds the {size} limit' },
  too_many_invited_files: { status: 413, message: 'You can only upload up to {count} files' },
  invited_total_exceeded: { status: 413, message: 'Total size cannot exceed {size}' },
  file_type_not_allowed: { status: 415, message: '{name} cannot be uploaded here. Allowed types: {types}.' },
  expiry_in_past: { status: 400, message: 'The expiry must be in the future.' },
  schedule_after_expiry: { status: 400, message: 'The scheduled time must be before the expiry.' },
  auto_delete_needs_limit: { status: 400, message: 'Auto-delete needs a download limit.' },
  limit_below_downloads: {
    status: 400,
    message: 'There have already been {count} downloads. The limit cannot be lower.',
  },
  transfer_not_found: { status: 404, message: 'This transfer may have expired or been deleted.' },
  not_yet_available: { status: 423, message: 'This transfer is not available yet.' },
  transfer_checking: {
    status: 423,
    message: 'This transfer is being checked for malware. Please try again in a moment.',
  },
  file_checking: {
    status: 423,
    message: 'Some of these files are still being checked for malware. Please try again in a moment.',
  },
  access_key_required: {
    status: 423,
    message: 'This transfer is end-to-end encrypted. Open it with the whole link, which contains its key.',
  },
  encryption_required: {
    status: 403,
    message: 'Only end-to-end encrypted transfers are allowed here. Turn encryption on and send again.',
  },
  encryption_forbidden: {
    status: 403,
    message: 'End-to-end encryption is turned off for this plan. Turn encryption off and send again.',
  },
  password_required: { status: 423, message: 'This transfer is protected by a password.' },
  file_damaged: {
    status: 410,
    message: 'The stored bytes of this file are damaged. Please ask the sender to send it again.',
  },
  transfer_used_up: { status: 410, message: 'This transfer has reached its download limit.' },
  invitation_not_found: {
    status: 404,
    message: 'This invitation link is invalid, expired, or has been disabled.',
  },
} as const satisfies Record<string, { status: number; message: string }>;
