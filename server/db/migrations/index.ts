import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import * as accounts from './0001-accounts.ts'
import * as chat from './0002-chat.ts'
import * as filesAndModules from './0003-files-and-modules.ts'
import * as quickCommands from './0004-quick-commands.ts'
import * as search from './0005-search.ts'
import * as modules from './0006-modules.ts'
import * as questions from './0007-questions.ts'
import * as files from './0008-files.ts'
import * as signInMethods from './0009-sign-in-methods.ts'
import * as usage from './0010-usage.ts'
import * as invitations from './0011-invitations.ts'
import * as kindsOfGrants from './0012-kinds-of-grants.ts'
import * as knownPlaces from './0013-known-places.ts'
import * as tableReading from './0016-table-reading.ts'
import * as importsAndErasing from './0014-imports-and-erasing.ts'
import * as newestSegments from './0024-newest-segments.ts'
import * as mainArgument from './0025-main-argument.ts'
import * as moduleLimits from './0019-module-limits.ts'
import * as engines from './0020-engines.ts'
import * as auditCalls from './0022-audit-calls.ts'
import * as samples from './0023-samples.ts'
import * as effects from './0027-effects.ts'
import * as grants from './0029-grants.ts'
import * as rules from './0026-rules.ts'
import * as queuedMessages from './0021-queued-messages.ts'
import * as signing from './0028-signing.ts'
import * as untrusted from './0030-untrusted.ts'
import * as votes from './0031-votes.ts'
import * as elevation from './0032-elevation.ts'
import * as handover from './0033-handover.ts'
import * as hosts from './0034-hosts.ts'
import * as targets from './0035-targets.ts'
import * as objects from './0039-objects.ts'
import * as auditChain from './0036-audit-chain.ts'
import * as requestCounts from './0037-request-counts.ts'
import * as processes from './0038-processes.ts'
import * as moduleOwners from './0040-module-owners.ts'
import * as eventPartitions from './0041-event-partitions.ts'
import * as notifications from './0043-notifications.ts'
import * as routines from './0044-routines.ts'
import * as procedures from './0045-procedures.ts'
import * as watches from './0046-watches.ts'
import * as notices from './0047-notices.ts'
import * as reports from './0048-reports.ts'
import * as fires from './0049-fires.ts'
import * as repairedCalls from './0050-repaired-calls.ts'
import * as engineRequests from './0051-engine-requests.ts'
import * as tokenAudience from './0052-token-audience.ts'
import * as gateway from './0053-gateway.ts'
import * as callQuotas from './0054-call-quotas.ts'
import * as fittingTools from './0057-fitting-tools.ts'
import * as oauth from './0059-oauth.ts'
import * as moduleAdditions from './0061-module-additions.ts'
import * as moduleConnections from './0063-module-connections.ts'
import * as moduleExtras from './0065-module-extras.ts'
import * as fileOrigin from './0067-file-origin.ts'
import * as moduleLogLevel from './0068-module-log-level.ts'
import * as modelFacts from './0069-model-facts.ts'
import * as ollama from './0070-ollama.ts'
import * as lostConnections from './0075-lost-connections.ts'

/**
 * `expand`: adds only; a process of the version before goes on working beside it. `contract`: takes away or changes what
 * a version before may need. test/migration-kinds.test.ts holds each to what it says.
 */
export type MigrationKind = 'expand' | 'contract'

export interface Migration {
  readonly name: string
  readonly kind: MigrationKind
  up(db: Kysely<unknown>, dialect: Dialect): Promise<void>
}

/** All migrations in order. Forward only: a released one is never edited, and none is ever removed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-accounts', kind: 'expand', up: accounts.up },
  { name: '0002-chat', kind: 'expand', up: chat.up },
  { name: '0003-files-and-modules', kind: 'expand', up: filesAndModules.up },
  { name: '0004-quick-commands', kind: 'expand', up: quickCommands.up },
  { name: '0005-search', kind: 'contract', up: search.up },
  { name: '0006-modules', kind: 'contract', up: modules.up },
  { name: '0007-questions', kind: 'expand', up: questions.up },
  { name: '0008-files', kind: 'expand', up: files.up },
  { name: '0009-sign-in-methods', kind: 'expand', up: signInMethods.up },
  { name: '0010-usage', kind: 'expand', up: usage.up },
  { name: '0011-invitations', kind: 'expand', up: invitations.up },
  { name: '0012-kinds-of-grants', kind: 'contract', up: kindsOfGrants.up },
  { name: '0013-known-places', kind: 'expand', up: knownPlaces.up },
  { name: '0016-table-reading', kind: 'expand', up: tableReading.up },
  { name: '0014-imports-and-erasing', kind: 'expand', up: importsAndErasing.up },
  { name: '0019-module-limits', kind: 'expand', up: moduleLimits.up },
  { name: '0020-engines', kind: 'contract', up: engines.up },
  { name: '0021-queued-messages', kind: 'expand', up: queuedMessages.up },
  { name: '0022-audit-calls', kind: 'expand', up: auditCalls.up },
  { name: '0023-samples', kind: 'expand', up: samples.up },
  { name: '0024-newest-segments', kind: 'expand', up: newestSegments.up },
  { name: '0025-main-argument', kind: 'expand', up: mainArgument.up },
  { name: '0026-rules', kind: 'contract', up: rules.up },
  { name: '0027-effects', kind: 'expand', up: effects.up },
  { name: '0028-signing', kind: 'expand', up: signing.up },
  { name: '0029-grants', kind: 'contract', up: grants.up },
  { name: '0030-untrusted', kind: 'expand', up: untrusted.up },
  { name: '0031-votes', kind: 'expand', up: votes.up },
  { name: '0032-elevation', kind: 'expand', up: elevation.up },
  { name: '0033-handover', kind: 'expand', up: handover.up },
  { name: '0034-hosts', kind: 'expand', up: hosts.up },
  { name: '0035-targets', kind: 'expand', up: targets.up },
  { name: '0036-audit-chain', kind: 'expand', up: auditChain.up },
  { name: '0037-request-counts', kind: 'expand', up: requestCounts.up },
  { name: '0038-processes', kind: 'expand', up: processes.up },
  { name: '0039-objects', kind: 'expand', up: objects.up },
  { name: '0040-module-owners', kind: 'expand', up: moduleOwners.up },
  { name: '0041-event-partitions', kind: 'expand', up: eventPartitions.up },
  { name: '0043-notifications', kind: 'expand', up: notifications.up },
  { name: '0044-routines', kind: 'expand', up: routines.up },
  { name: '0045-procedures', kind: 'expand', up: procedures.up },
  { name: '0046-watches', kind: 'expand', up: watches.up },
  { name: '0047-notices', kind: 'expand', up: notices.up },
  { name: '0048-reports', kind: 'expand', up: reports.up },
  { name: '0049-fires', kind: 'expand', up: fires.up },
  { name: '0050-repaired-calls', kind: 'expand', up: repairedCalls.up },
  { name: '0051-engine-requests', kind: 'expand', up: engineRequests.up },
  { name: '0052-token-audience', kind: 'expand', up: tokenAudience.up },
  { name: '0053-gateway', kind: 'expand', up: gateway.up },
  { name: '0054-call-quotas', kind: 'expand', up: callQuotas.up },
  { name: '0057-fitting-tools', kind: 'expand', up: fittingTools.up },
  { name: '0059-oauth', kind: 'expand', up: oauth.up },
  { name: '0061-module-additions', kind: 'expand', up: moduleAdditions.up },
  { name: '0063-module-connections', kind: 'expand', up: moduleConnections.up },
  { name: '0065-module-extras', kind: 'expand', up: moduleExtras.up },
  { name: '0067-file-origin', kind: 'expand', up: fileOrigin.up },
  { name: '0068-module-log-level', kind: 'expand', up: moduleLogLevel.up },
  { name: '0069-model-facts', kind: 'expand', up: modelFacts.up },
  { name: '0070-ollama', kind: 'expand', up: ollama.up },
  { name: '0075-lost-connections', kind: 'expand', up: lostConnections.up },
]
