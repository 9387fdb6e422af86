import { PAGE_ERRORS } from './page-errors.ts';
import { fillPlaceholders } from './values/placeholders.ts';

/**
 * All errors of the API: code, HTTP status and the sentence shown to people. A `{name}` placeholder is filled from
 * the error's details. A code with placeholders needs a title in `TITLES`.
 */
// Unlike a spread, a marked call can be dropped from pages that inline their errors.
export const ERRORS = /* @__PURE__ */ Object.assign({}, PAGE_ERRORS, {
  invalid_input: { status: 400, message: 'Some fields are missing or not valid.' },
  malformed_json: { status: 400, message: 'The request body is not valid JSON.' },
  json_too_deep: {
    status: 400,
    message: 'The request body is nested too deeply. At most {depth} levels are allowed.',
  },
  bad_request: { status: 400, message: 'The request could not be understood.' },
  wrong_chunk_length: { status: 400, message: 'Chunk {index} must be exactly {expected} bytes long.' },
  chunk_index_out_of_range: {
    status: 400,
    message: 'This upload has {totalChunks} chunks; there is no chunk {index}.',
  },
  wrong_total_chunks: {
    status: 400,
    message: 'A file of this size is sent in {expected} chunks of {chunkSize} bytes.',
  },
  chunk_cut_short: {
    status: 400,
    message: 'The connection ended before the whole chunk had arrived. Send the chunk again.',
  },
  digest_mismatch: {
    status: 400,
    message: 'The bytes that arrived do not match their Content-Digest. Send the chunk again.',
  },
  tus_bad_header: { status: 400, message: 'The header {name} is missing or not valid.' },
  tus_not_supported: {
    status: 400,
    message: '{header} is not supported here. Create the upload with its Upload-Length.',
  },
  bad_idempotency_key: {
    status: 400,
    message: 'An Idempotency-Key must have 1 to 255 visible ASCII characters.',
  },
  bad_digest: { status: 400, message: 'The Content-Digest header must name crc32 or sha-256.' },
  wrong_code: { status: 400, message: 'This code is incorrect. Check it and try again.' },
  code_expired: { status: 400, message: 'This code is no longer valid. Please request a new one.' },
  invalid_selection: { status: 400, message: 'This selection of files is not valid. Please choose again.' },
  coupon_wrong_tier: { status: 400, message: 'This coupon is for the {tier} plan.' },
  bad_webhook: { status: 400, message: 'This event is not signed by the payment provider.' },
  invalid_ad_file: { status: 400, message: 'Please select an image or a video file' },
  encrypted_bag: {
    status: 400,
    message:
      'An end-to-end encrypted transfer cannot become a BagIt bag here, because only its recipients can read the files.',
  },
  must_be_encrypted: {
    status: 400,
    message: 'This transfer is end-to-end encrypted, so the server accepts nothing readable for it.',
  },
  no_files: { status: 400, message: 'Please select at least one file to upload' },
  malformed_form: { status: 400, message: 'The form could not be read. Please try again.' },
  not_signed_in: { status: 401, message: 'Please sign in first.' },
  second_factor_required: { status: 401, message: 'Please confirm that it’s you with your second factor.' },
  wrong_factor: {
    status: 400,
    message: 'This code is incorrect or was used before. Check it and try again.',
  },
  sign_in_expired: { status: 400, message: 'This sign-in has expired. Please start again.' },
  passkey_expired: { status: 400, message: 'The request for your passkey has expired. Please try again.' },
  passkey_exists: { status: 409, message: 'This passkey has already been added.' },
  too_many_passkeys: {
    status: 409,
    message: 'You have {count} passkeys. Please remove one of them first.',
  },
  no_second_factor: { status: 409, message: 'Add a passkey or an authenticator app first.' },
  user_has_no_second_factor: { status: 409, message: 'This user has no second factor.' },
  totp_exists: { status: 409, message: 'This account has an authenticator app already. Remove it first.' },
  no_password: {
    status: 400,
    message: 'This account has no password. Please sign out and sign in again to confirm that it’s you.',
  },
  second_factor_setup_required: {
    status: 403,
    message: 'Please set up a second factor for signing in first. Your administrator requires it.',
  },
  step_up_required: { status: 403, message: 'Please confirm that it’s you, then try again.' },
  api_key_malformed: {
    status: 401,
    message: 'Send an API key as “Authorization: Bearer swk_…”.',
  },
  api_key_unknown: { status: 401, message: 'This API key is unknown or has been deleted.' },
  api_key_expired: { status: 401, message: 'This API key has expired.' },
  api_key_inactive: { status: 401, message: 'This API key is turned off.' },
  visitor_not_verified: { status: 401, message: 'Please verify your email address first.' },
  wrong_credentials: { status: 401, message: 'Incorrect username or password.' },
  wrong_current_password: { status: 400, message: 'Your current password is incorrect.' },
  wrong_access_key: { status: 401, message: 'This key does not open the transfer.' },
  wrong_password: { status: 401, message: 'Invalid password' },
  payment_declined: { status: 402, message: '{reason}' },
  tier_required: { status: 402, message: '{feature} is part of the {tier} plan. Upgrade to use it.' },
  not_allowed: { status: 403, message: 'You are not allowed to do this.' },
  api_key_scope: { status: 403, message: 'This call requires an API key with the scope “{scope}”.' },
  api_key_not_taken: { status: 403, message: 'This call does not accept API keys. Sign in to make it.' },
  email_not_verified: { status: 403, message: 'Please verify your email address first.' },
  email_sign_in_off: { status: 403, message: 'Signing in by an emailed link is turned off here.' },
  sso_required: { status: 403, message: 'Accounts with this email address sign in with {name}.' },
  registration_closed: {
    status: 403,
    message: 'Registration is closed here. Please ask your administrator for an account.',
  },
  registration_needs_invitation: {
    status: 403,
    message: 'You need an invitation to register here. Please open the link in your invitation email.',
  },
  registration_domain: {
    status: 403,
    message: 'Accounts are only available for certain email domains here. Please use your {domains} address.',
  },
  registration_other_email: {
    status: 403,
    message: 'This invitation is for another email address. Please use the address that was invited.',
  },
  visitor_domain: {
    status: 403,
    message: 'Files are only accepted from certain email domains here. Please use another address.',
  },
  cross_origin: { status: 403, message: 'This request came from another site and was refused.' },
  not_found: { status: 404, message: 'We couldn’t find what you were looking for.' },
  upload_not_found: { status: 404, message: 'This upload is unknown or has ended.' },
  pickup_code_unknown: {
    status: 404,
    message: 'This code is not valid. Check it, or ask the sender for a new one: codes are valid for a day.',
  },
  no_preview: { status: 404, message: 'There is no preview of this file.' },
  file_not_found: { status: 404, message: 'This file is not part of the transfer.' },
  version_not_found: { status: 404, message: 'This transfer has no such version.' },
  account_invitation_not_found: {
    status: 404,
    message: 'This invitation does not exist, or it was used or revoked.',
  },
  webhook_not_found: { status: 404, message: 'This webhook is unknown or has been deleted.' },
  delivery_not_found: { status: 404, message: 'This delivery does not exist, or is older than 30 days.' },
  coupon_not_found: { status: 404, message: 'This coupon is not valid.' },
  no_subscription: { status: 404, message: 'You have no subscription.' },
  payment_not_found: { status: 404, message: 'This payment is unknown or has ended.' },
  user_not_found: { status: 404, message: 'This user is unknown or has been deleted.' },
  ad_not_found: { status: 404, message: 'This ad is unknown or has been deleted.' },
  held_file_not_found: { status: 404, message: 'This file is no longer held.' },
  content_rule_not_found: { status: 404, message: 'This content is not taken down.' },
  report_not_found: { status: 404, message: 'This report does not exist.' },
  mail_not_found: { status: 404, message: 'This email does not exist.' },
  job_not_found: { status: 404, message: 'This job is unknown or has ended.' },
  passkey_not_found: { status: 404, message: 'This passkey is unknown or has been removed.' },
  api_key_not_found: { status: 404, message: 'This API key is unknown or has been deleted.' },
  session_not_found: { status: 404, message: 'This session is unknown or has ended.' },
  provider_not_found: { status: 404, message: 'This sign-in provider is unknown or turned off.' },
  identity_not_found: { status: 404, message: 'This sign-in is not linked to your account.' },
  username_taken: { status: 409, message: 'This username is already taken.' },
  coupon_exists: { status: 409, message: 'A coupon with this code already exists.' },
  email_taken: { status: 409, message: 'This email address is already registered.' },
  last_admin: {
    status: 409,
    message: 'This is the last administrator. Make someone else an administrator first.',
  },
  last_sign_in: {
    status: 409,
    message: 'This is your only way to sign in. Set a password first.',
  },
  too_many_providers: {
    status: 409,
    message: 'There are {count} sign-in providers. Please delete one of them first.',
  },
  provider_exists: { status: 409, message: 'This issuer and client ID belong to another provider here.' },
  provider_read_only: {
    status: 409,
    message: 'This provider is configured by environment variables. Change it there.',
  },
  already_verified: { status: 409, message: 'This email address is already verified.' },
  chunks_missing: {
    status: 409,
    message: 'This upload is not complete yet: {count} of its chunks are missing.',
  },
  manifest_missing: {
    status: 409,
    message:
      'Send the sealed list of names before you complete files of an encrypted transfer or share its link.',
  },
  sealed_key_missing: {
    status: 409,
    message: 'Send the key of this transfer, sealed for its receiver, before you complete files.',
  },
  manifest_outdated: { status: 409, message: 'The next revision is {next}.' },
  chunk_differs: {
    status: 409,
    message:
      'Chunk {index} was stored with other bytes, and recipients may have them already. Cancel this upload and announce the changed file again.',
  },
  files_not_announced: {
    status: 409,
    message: 'Only {announced} of {expected} files have been announced. Announce all files first.',
  },
  publish_scanned: {
    status: 409,
    message:
      'Files are scanned for malware here before anybody can download them, so the link cannot be shared until everything has arrived.',
  },
  upload_offset_conflict: { status: 409, message: 'This upload continues at byte {offset}.' },
  upload_closed: { status: 409, message: 'This upload is already complete.' },
  too_many_invitations: {
    status: 409,
    message: 'You have {count} upload invitations. Please delete some of them first.',
  },
  too_many_api_keys: {
    status: 409,
    message: 'You have {count} API keys. Please delete one of them first.',
  },
  idempotency_key_running: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Please try again in a moment.',
  },
  too_many_webhooks: {
    status: 409,
    message: 'You have {count} webhooks. Please delete one of them first.',
  },
  too_many_push_subscriptions: {
    status: 409,
    message: 'You have push notifications on {count} devices. Please turn them off on one of them first.',
  },
  pickup_encrypted: {
    status: 409,
    message:
      'A pickup code can’t open an encrypted transfer, because its key is only in the link. Share the link instead.',
  },
  webhook_unsigned: { status: 409, message: 'Only webhooks of the format “Sendwell” are signed.' },
  webhook_off: { status: 409, message: 'This webhook is turned off. Turn it on first.' },
  already_subscribed: { status: 409, message: 'You are already on the {tier} plan.' },
  coupon_already_used: { status: 409, message: 'You have already used this coupon.' },
  coupon_not_for_changes: {
    status: 409,
    message: 'Coupons apply to new subscriptions only.',
  },
  payments_off: {
    status: 409,
    message: 'Plans cannot be bought on this server. Please ask your administrator to change your plan.',
  },
  nothing_to_pay: { status: 409, message: 'There is nothing to pay.' },
  file_not_damaged: {
    status: 409,
    message: 'This file is not damaged, so it does not need to be sent again.',
  },
  repair_differs: {
    status: 409,
    message: 'This file differs from the one that was sent. Select the original file.',
  },
  account_invitation_exists: {
    status: 409,
    message: 'This address already has an open invitation. Resend it instead.',
  },
  registration_is_closed: {
    status: 409,
    message: 'Registration is closed. Choose another mode before you invite people.',
  },
  count_quota_exceeded: {
    status: 409,
    message: 'Your {tier} plan allows {limit} {things} at a time. {advice}',
  },
  update_unfinished: {
    status: 409,
    message: 'Some files of this update have not arrived yet. Finish or cancel them first.',
  },
  update_outdated: {
    status: 409,
    message: 'This transfer was updated in the meantime. Compare your files with it again.',
  },
  update_not_begun: { status: 409, message: 'There is no update of this transfer. Start it again.' },
  update_empty: { status: 409, message: 'This update would leave no files. Delete the transfer instead.' },
  encrypted_not_updatable: {
    status: 409,
    message: 'End-to-end encrypted transfers cannot be updated. Add files to it, or send a new transfer.',
  },
  too_many_versions: {
    status: 409,
    message: 'This transfer has {count} versions, the most that are possible. Send a new transfer instead.',
  },
  transfer_not_closed: { status: 409, message: 'This transfer is not closed.' },
  still_arriving: {
    status: 409,
    message: 'Files of this transfer are still arriving. Please try again when all of them are here.',
  },
  already_arrived: { status: 409, message: 'Everything has arrived. You can download it now.' },
  arrival_notices_full: {
    status: 409,
    message: 'Too many people have asked for this email already. Please open the link again later.',
  },
  no_mail_server: { status: 409, message: 'This server does not send email.' },
  conflict: { status: 409, message: 'Someone else changed this at the same time. Please try again.' },
  invitation_closed: {
    status: 410,
    message: 'This invitation link is invalid, expired, or has been disabled.',
  },
  coupon_expired: { status: 410, message: 'This coupon has expired.' },
  coupon_used_up: { status: 410, message: 'This coupon has been used up.' },
  account_invitation_void: {
    status: 410,
    message: 'This invitation has expired or was already used. Please ask your administrator for a new one.',
  },
  link_void: { status: 410, message: 'This link is no longer valid. Please ask for a new one.' },
  upload_stopped: {
    status: 410,
    message: 'The upload of this transfer has stopped. Its sender can go on with it.',
  },
  file_withdrawn: {
    status: 410,
    message: 'The sender has withdrawn this file.',
  },
  undo_too_late: { status: 410, message: 'This transfer can no longer be restored.' },
  tus_version: { status: 412, message: 'This call requires tus {version}. Send it as Tus-Resumable.' },
  body_too_large: { status: 413, message: 'The request body is too large.' },
  chunk_too_long: { status: 413, message: 'Chunk {index} must be exactly {expected} bytes long.' },
  invitation_files_exceeded: {
    status: 413,
    message: 'Files left in this invitation for all visitors: {left} of {count}',
  },
  invitation_bytes_exceeded: {
    status: 413,
    message: 'Space left in this invitation for all visitors: {left} of {size}',
  },
  invitation_full: {
    status: 413,
    message: '{sender} doesn’t have enough space for this right now. Please let them know.',
  },
  unsupported_media_type: { status: 415, message: 'This call does not accept this content type.' },
  range_not_satisfiable: { status: 416, message: 'The requested range is outside the file.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for another request. Please use a new one.',
  },
  daily_mails_exceeded: {
    status: 429,
    message: 'You can email {remaining} more people today. Share the link yourself, or try again in {wait}.',
  },
  mailbox_mails_exceeded: {
    status: 429,
    message: '{email} cannot receive more emails right now. Share the link yourself, or try again in {wait}.',
  },
  api_limit_exceeded: {
    status: 429,
    message:
      'This API key has reached its limit of {limit} calls per minute. Please wait {wait} and try again.',
  },
  call_limit_exceeded: {
    status: 429,
    message:
      'This account has reached its limit of {limit} requests per minute. Please wait {wait} and try again.',
  },
  too_many_requests: { status: 429, message: 'Too many attempts. Please wait {wait} and try again.' },
  tus_checksum_mismatch: {
    status: 460,
    message: 'The bytes that arrived do not match their Upload-Checksum. Send them again.',
  },
  internal: { status: 500, message: 'Something went wrong on our side. Please try again.' },
  file_arriving: {
    status: 503,
    message: 'This file is still arriving. Please try again in a moment.',
  },
  checksums_pending: {
    status: 503,
    message: 'The checksums are still being computed. Please try again in a moment.',
  },
  sso_unreachable: {
    status: 503,
    message: '{name} can’t be reached right now. Try again in a few minutes.',
  },
  payments_unavailable: {
    status: 503,
    message: 'The payment provider is not responding. Please try again.',
  },
  unavailable: { status: 503, message: 'The service is busy. Please try again in a moment.' },
  storage_full: {
    status: 507,
    message: 'There is not enough storage for this upload. Please try again later.',
  },
} as const satisfies Record<string, { status: number; message: string }>);

export type ErrorCode = keyof typeof ERRORS;

/** For codes with placeholders: RFC 9457 wants one title per problem type. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  json_too_deep: 'The request body is nested too deeply.',
  wrong_chunk_length: 'The chunk has the wrong length.',
  chunk_index_out_of_range: 'This upload has no such chunk.',
  wrong_total_chunks: 'The number of chunks does not match the file size.',
  tus_bad_header: 'A tus header is missing or not valid.',
  tus_not_supported: 'This tus feature is not supported.',
  limit_below_downloads: 'The download limit is below the downloads so far.',
  coupon_wrong_tier: 'This coupon is for another plan.',
  payment_declined: 'The payment was declined.',
  tier_required: 'This feature needs another plan.',
  api_key_scope: 'The API key lacks a scope.',
  registration_domain: 'Accounts are only available for certain email domains.',
  sso_required: 'Accounts with this email address use single sign-on.',
  too_many_providers: 'There are too many sign-in providers.',
  sso_unreachable: 'The sign-in provider can’t be reached.',
  chunks_missing: 'This upload is not complete yet.',
  manifest_outdated: 'The revision is not the next one.',
  chunk_differs: 'The chunk was stored with other bytes.',
  files_not_announced: 'Not all files have been announced.',
  upload_offset_conflict: 'The upload continues at another offset.',
  too_many_invitations: 'You have too many upload invitations.',
  too_many_passkeys: 'You have too many passkeys.',
  too_many_versions: 'The transfer has too many versions.',
  too_many_api_keys: 'You have too many API keys.',
  too_many_webhooks: 'You have too many webhooks.',
  too_many_push_subscriptions: 'You have push notifications on too many devices.',
  already_subscribed: 'You are already on this plan.',
  count_quota_exceeded: 'Your plan’s limit is reached.',
  tus_version: 'This tus version is not supported.',
  chunk_too_long: 'The chunk is too long.',
  image_too_large: 'The image is too large.',
  transfer_limit_exceeded: 'Your plan’s limit per transfer is exceeded.',
  monthly_limit_exceeded: 'Your plan’s monthly limit is exceeded.',
  invited_file_too_large: 'A file exceeds the limit of the invitation.',
  too_many_invited_files: 'These are too many files for the invitation.',
  invited_total_exceeded: 'The total size exceeds the limit of the invitation.',
  invitation_files_exceeded: 'These are too many files for all visitors together.',
  invitation_bytes_exceeded: 'The size exceeds the limit for all visitors together.',
  invitation_full: 'The sender does not have enough space right now.',
  file_type_not_allowed: 'This file type is not allowed.',
  daily_mails_exceeded: 'The daily limit of emails is reached.',
  mailbox_mails_exceeded: 'This address cannot receive more emails right now.',
  api_limit_exceeded: 'The API key has made too many calls.',
  call_limit_exceeded: 'The account has made too many requests.',
  too_many_requests: 'Too many attempts.',
};

/** The `title` of a problem (RFC 9457), which must not contain details of the occurrence. */
export function errorTitle(code: ErrorCode): string {
  return TITLES[code] ?? ERRORS[code].message;
}

/** Keyed by the path of the field ("recipientEmails.0"). */
export type FieldErrors = Record<string, string>;

/** RFC 9457 problem details. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  errors?: FieldErrors;
  [detail: string]: unknown;
};

export function errorMessage(code: ErrorCode, details: Record<string, unknown> = {}): string {
  return fillPlaceholders(ERRORS[code].message, details);
}
