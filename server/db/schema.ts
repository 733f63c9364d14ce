import type { ChangeTable, HandoverTable } from './rows/change-tables.ts'
import type {
  AccessTokenTable,
  AuditCountTable,
  AuditTable,
  AuditUnchainedTable,
  ElevationTable,
  InvitationTable,
  KnownPlaceTable,
  LoginAttemptTable,
  OauthClientTable,
  OauthHostTable,
  OauthRecordTable,
  RequestCountTable,
  RoleRuleTable,
  RoleTable,
  SessionTable,
  SetupTable,
  UserTable,
} from './rows/account-tables.ts'
import type {
  ApprovalGrantTable,
  ApprovalTable,
  ChatSessionTable,
  ConversationImportTable,
  ConversationTable,
  FolderTable,
  GrantUseTable,
  MessagePartTable,
  MessageTable,
  QueuedMessageTable,
  RunTable,
  StepTable,
  ToolCallTable,
} from './rows/chat-tables.ts'
import type { CommandFolderTable, CommandTable } from './rows/command-tables.ts'
import type { RoutineFireTable, RoutineHookTable, RoutineTable } from './rows/routine-tables.ts'
import type { EventHorizonTable, EventTable } from './rows/event-tables.ts'
import type { EngineTable, ModelFactTable } from './rows/engine-tables.ts'
import type { HostStateTable, HostTable, HostTagTable, SshKeyTable, ToolCallHostTable } from './rows/host-tables.ts'
import type { ProcedureTable, ProcedureVersionTable } from './rows/procedure-tables.ts'
import type { ProcessTable, RevisionTable } from './rows/process-tables.ts'
import type { VoteTable } from './rows/vote-tables.ts'
import type {
  ModuleAdditionTable,
  ModuleBackupTable,
  ModuleCallTable,
  ModuleClientTable,
  ModuleConnectingTable,
  ModuleConnectionTable,
  ModuleOwnerTable,
  ModulePinTable,
  ModuleSecretTable,
  ModuleTable,
  ModuleVersionTable,
  SettingTable,
} from './rows/module-tables.ts'
import type { ObjectListingTable, UnusedObjectTable } from './objects/object-tables.ts'
import type { AuditHeadDeliveryTable, AuditHeadTable, SigningKeyTable } from './rows/signing-tables.ts'
import type {
  ChannelTable,
  CodeCountTable,
  NoticeReaderTable,
  NoticeRuleTable,
  NoticeSettingTable,
  NoticeTable,
  OutboxTable,
} from './rows/notification-tables.ts'
import type { GatewayCallTable } from './rows/gateway-tables.ts'
import type { ReportTable } from './rows/report-tables.ts'
import type { WatchCrossingTable, WatchStateTable, WatchTable } from './rows/watch-tables.ts'
import type { SearchIndexTable, SearchSegmentTable } from './rows/search-tables.ts'
import type { OffSwitchTable, QuotaTable, SampleTable, UsageDayTable } from './rows/usage-tables.ts'
import type {
  BackupCodeTable,
  OpenidIdentityTable,
  PasskeyChallengeTable,
  PasskeyTable,
  UserTotpTable,
} from './rows/sign-in-tables.ts'

/**
 * Row types of every table. Ids are text, times are epoch milliseconds (`*_at`), booleans 0/1, JSON is text that is
 * parsed with its schema when it is read, `*_folded` is `fold()` of its neighbour. Columns that reach the wire carry
 * their wire names.
 */
export interface Tables {
  role: RoleTable
  role_rule: RoleRuleTable
  elevation: ElevationTable
  user: UserTable
  setup: SetupTable
  invitation: InvitationTable
  session: SessionTable
  access_token: AccessTokenTable
  oauth_record: OauthRecordTable
  oauth_client: OauthClientTable
  oauth_host: OauthHostTable
  login_attempt: LoginAttemptTable
  request_count: RequestCountTable
  known_place: KnownPlaceTable
  user_totp: UserTotpTable
  backup_code: BackupCodeTable
  passkey: PasskeyTable
  passkey_challenge: PasskeyChallengeTable
  openid_identity: OpenidIdentityTable
  audit: AuditTable
  audit_unchained: AuditUnchainedTable
  audit_count: AuditCountTable
  audit_head: AuditHeadTable
  audit_head_delivery: AuditHeadDeliveryTable
  signing_key: SigningKeyTable
  sample: SampleTable
  conversation: ConversationTable
  conversation_import: ConversationImportTable
  folder: FolderTable
  chat_session: ChatSessionTable
  message: MessageTable
  message_part: MessagePartTable
  queued_message: QueuedMessageTable
  search_segment: SearchSegmentTable
  search_index: SearchIndexTable
  run: RunTable
  step: StepTable
  tool_call: ToolCallTable
  tool_call_host: ToolCallHostTable
  approval: ApprovalTable
  approval_grant: ApprovalGrantTable
  grant_use: GrantUseTable
  vote: VoteTable
  handover: HandoverTable
  event: EventTable
  event_horizon: EventHorizonTable
  procedure: ProcedureTable
  procedure_version: ProcedureVersionTable
  command: CommandTable
  command_folder: CommandFolderTable
  routine: RoutineTable
  routine_fire: RoutineFireTable
  routine_hook: RoutineHookTable
  file: FileTable
  gateway_call: GatewayCallTable
  report: ReportTable
  module: ModuleTable
  module_version: ModuleVersionTable
  module_secret: ModuleSecretTable
  module_pin: ModulePinTable
  module_owner: ModuleOwnerTable
  module_call: ModuleCallTable
  module_connection: ModuleConnectionTable
  module_client: ModuleClientTable
  module_connecting: ModuleConnectingTable
  module_addition: ModuleAdditionTable
  module_backup: ModuleBackupTable
  unused_object: UnusedObjectTable
  object_listing: ObjectListingTable
  setting: SettingTable
  engine: EngineTable
  model_fact: ModelFactTable
  usage_day: UsageDayTable
  quota: QuotaTable
  off_switch: OffSwitchTable
  change: ChangeTable
  host: HostTable
  host_tag: HostTagTable
  host_state: HostStateTable
  ssh_key: SshKeyTable
  channel: ChannelTable
  notice_setting: NoticeSettingTable
  notice_rule: NoticeRuleTable
  notice: NoticeTable
  notice_reader: NoticeReaderTable
  code_count: CodeCountTable
  outbox: OutboxTable
  watch: WatchTable
  watch_state: WatchStateTable
  watch_crossing: WatchCrossingTable
  process: ProcessTable
  revision: RevisionTable
}

export interface FileTable {
  file_id: string
  user_id: string
  name: string
  name_folded: string
  extension: string
  media_type: string
  size: number
  sha256: string
  /** `upload` or `generated`; generated files belong to a run. */
  kind: 'upload' | 'generated'
  run_id: string | null
  created_at: number
  /** Id under which the bytes are stored; files of one owner with the same content share it. */
  stored_as: string
  /** Deleted: can be restored for a while. */
  deleted_at: number | null
  /** JSON of a TableReading: how its owner wants it read as a table; null is automatic detection. */
  reading: string | null
  /** JSON `{module, uri}` of what was read from a module. */
  origin: string | null
}
