import { z } from 'zod'

/**
 * Every error that the server returns: its code, HTTP status and title. The table is also the source of the
 * documentation (docs/errors is generated from it) and the only mapping from code to status.
 */
export const ERRORS = {
  // Reading the request
  malformed_json: { status: 400, title: 'The request body is not valid JSON' },
  many_hosts: { status: 400, title: 'The request names more than one host' },
  invalid_request: { status: 422, title: 'The request does not have the expected shape' },
  unsupported_media_type: { status: 415, title: 'This content type is not accepted here' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  method_not_allowed: { status: 405, title: 'This method is not allowed here' },
  not_found: { status: 404, title: 'Not found' },
  // Authorisation
  not_signed_in: { status: 401, title: 'Sign in first' },
  csrf_mismatch: { status: 403, title: 'The CSRF token does not match the session' },
  foreign_origin: { status: 403, title: 'Requests from another origin are refused' },
  forbidden: { status: 403, title: 'Not permitted' },
  sign_in_again: { status: 403, title: 'Confirm that it is you' },
  approval_required: { status: 409, title: 'A rule asks for approval here' },
  // Accounts
  wrong_credentials: { status: 401, title: 'Username or password is wrong' },
  totp_required: { status: 401, title: 'A code of the second factor is needed' },
  totp_wrong: { status: 401, title: 'The code is wrong' },
  totp_active: { status: 409, title: 'The second factor is on' },
  totp_not_begun: { status: 409, title: 'There is no second factor' },
  passkey_refused: { status: 401, title: 'The passkey was not accepted' },
  passkey_exists: { status: 409, title: 'The passkey is known' },
  passkeys_unavailable: { status: 409, title: 'Passkeys do not work at this address' },
  too_many_passkeys: { status: 409, title: 'There are too many passkeys' },
  too_many_attempts: { status: 429, title: 'Too many attempts' },
  sign_in_busy: { status: 503, title: 'Too many passwords are being checked' },
  setup_done: { status: 409, title: 'Setup is already done' },
  setup_token_invalid: { status: 403, title: 'The setup link is not valid' },
  invitation_invalid: { status: 403, title: 'The link is not valid any more' },
  weak_password: { status: 400, title: 'The password is too weak' },
  username_taken: { status: 409, title: 'The username is taken' },
  last_admin: { status: 409, title: 'The last administrator must stay' },
  user_disabled: { status: 409, title: 'The account is disabled' },
  role_changed: { status: 409, title: 'Somebody else has changed the role' },
  role_exists: { status: 409, title: 'A role with this name exists' },
  role_in_use: { status: 409, title: 'The role is in use' },
  role_builtin: { status: 409, title: 'A built-in role cannot be renamed or deleted' },
  unknown_role: { status: 400, title: 'There is no such role' },
  unsupported_language: { status: 400, title: 'The language is not supported' },
  prompt_too_long: { status: 400, title: 'The personal prompt is too long' },
  // Chat
  run_active: { status: 409, title: 'A run is active' },
  bad_import: { status: 400, title: 'This is not a conversation that was exported here' },
  import_running: { status: 409, title: 'A conversation is being imported' },
  folder_exists: { status: 409, title: 'A folder with this name exists' },
  ai_unavailable: { status: 503, title: 'The AI engine does not answer' },
  run_failed: { status: 500, title: 'The run failed' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key was used for another request' },
  already_decided: { status: 409, title: 'The approval was decided otherwise' },
  approval_expired: { status: 409, title: 'The approval has expired' },
  approval_closed: { status: 409, title: 'The approval is no longer open' },
  quota_used_up: { status: 429, title: 'The quota of the role is used up' },
  // Engines
  engine_read_only: { status: 409, title: 'The engine is set by the environment' },
  engine_address: { status: 400, title: 'The address of the engine is not usable' },
  engine_key_elsewhere: { status: 400, title: 'The stored key belongs to another address' },
  // Quick commands
  bad_name: { status: 400, title: 'The name is not usable' },
  bad_prompt: { status: 400, title: 'The prompt is not usable' },
  bad_run_mode: { status: 400, title: 'There is no such run mode' },
  too_many_commands: { status: 400, title: 'There are too many quick commands' },
  too_many_folders: { status: 409, title: 'There are too many folders' },
  bad_command_import: { status: 400, title: 'These quick commands cannot be imported' },
  // Files
  quota_exceeded: { status: 413, title: 'The storage quota is used up' },
  bad_file_name: { status: 400, title: 'The file name is not usable' },
  unreadable_file: { status: 422, title: 'The content of the file cannot be read' },
  table_timeout: { status: 503, title: 'Reading the table took too long' },
  tables_busy: { status: 503, title: 'Too many tables are being read' },
  bad_keys: { status: 400, title: 'These keys of columns are not usable' },
  no_preview: { status: 415, title: 'There is no preview of this file' },
  range_not_satisfiable: { status: 416, title: 'The file has no such part' },
  // Modules
  bad_module_name: { status: 400, title: 'The file name of the module is not usable' },
  bad_archive: { status: 400, title: 'This is not a usable bundle' },
  bad_manifest: { status: 400, title: 'The manifest of the bundle is not usable' },
  module_incompatible: { status: 400, title: 'The module does not run here' },
  same_version: { status: 409, title: 'This version is installed' },
  downgrade: { status: 409, title: 'A newer version is installed' },
  publisher_changed: { status: 409, title: 'Somebody else signed this bundle' },
  name_of_builtin: { status: 409, title: 'A built-in module has this name' },
  module_exists: { status: 409, title: 'A module with this name exists' },
  module_busy: { status: 409, title: 'Something is being done to this module' },
  module_changed: { status: 409, title: 'The module is not what was reviewed' },
  archive_too_large: { status: 413, title: 'The unpacked bundle is too large' },
  bad_module_url: { status: 400, title: 'The address of the module is not usable' },
  module_start_failed: { status: 503, title: 'The module did not come up' },
  module_unavailable: { status: 503, title: 'The module does not answer' },
  module_stop_failed: { status: 503, title: 'The module could not be stopped' },
  isolation_too_weak: { status: 409, title: 'This machine cannot isolate the module as the policy wants' },
  not_a_bundle: { status: 409, title: 'The module was not installed from a bundle' },
  module_package_missing: { status: 409, title: 'The package of this version is gone' },
  no_previous_version: { status: 409, title: 'There is no version to go back to' },
  module_is_builtin: { status: 409, title: 'A built-in module has its own way to be removed' },
  module_removed: { status: 409, title: 'The module is already removed' },
  module_not_removed: { status: 409, title: 'The module is not removed' },
  last_module: { status: 409, title: 'The last essential module must stay' },
  backup_failed: { status: 503, title: 'The backup could not be written' },
  // Certificates
  certificate_missing: { status: 404, title: 'There is no local certificate' },
  plain_http: { status: 400, title: 'This port speaks HTTPS only' },
  // Operation
  not_ready: { status: 503, title: 'The service is not ready' },
  storage_full: { status: 507, title: 'There is no room left to store anything' },
  storage_unavailable: { status: 503, title: 'The storage does not answer' },
  stopping: { status: 503, title: 'The service is stopping' },
  internal: { status: 500, title: 'Something went wrong on the server' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof ERRORS

/** Codes that shared code (parsing, gate, limits) may return on any route, besides those the route declares. */
export const COMMON_ERRORS = [
  'malformed_json',
  'many_hosts',
  'invalid_request',
  'unsupported_media_type',
  'payload_too_large',
  'not_found',
  'not_signed_in',
  'csrf_mismatch',
  'foreign_origin',
  'forbidden',
  'too_many_attempts',
  'storage_full',
  'storage_unavailable',
  'stopping',
  'internal',
] as const satisfies readonly ErrorCode[]

/** RFC 9457 problem document, media type application/problem+json. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
})
export type Problem = z.infer<typeof Problem>
