import type { Accounts } from '../accounts/accounts.ts'
import type { Engines } from '../ai/engines.ts'
import type { Certificates } from '../certificates/certificates.ts'
import type { Chat } from '../chat/chat.ts'
import type { Model } from '../chat/ports/model.ts'
import type { MachineEye } from '../dashboard/machine-state.ts'
import type { Switches } from '../chat/run/switches.ts'
import type { Config } from './config.ts'
import type { Database } from '../db/database.ts'
import type { Tasks } from '../kernel/tasks.ts'
import type { Catalogue } from '../modules/catalogue/catalogue.ts'
import type { StorageWatch } from '../operation/storage-watch.ts'
import type { Machine } from '../sandbox/machine.ts'

/** What the administration pages and the dashboard read. */
export interface Administered {
  readonly config: Config
  readonly db: Database
  readonly accounts: Accounts
  readonly engines: Engines
  readonly model: Model
  readonly catalogue: Catalogue
  readonly chat: Chat
  readonly switches: Switches
  readonly tasks: Tasks
  readonly certificates: Certificates
  readonly machine: Machine
  readonly storage: StorageWatch
  readonly eye: MachineEye
}
