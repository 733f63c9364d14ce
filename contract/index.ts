import { about } from './about.ts'
import { accounts } from './accounts.ts'
import { certificates } from './certificates.ts'
import { chat } from './chat.ts'
import { commands } from './commands.ts'
import { dashboard } from './dashboard.ts'
import { engines } from './engines.ts'
import { files } from './files.ts'
import { connections } from './connections.ts'
import { gateway } from './gateway.ts'
import { hostFigures } from './host-figures.ts'
import { hostJournal } from './host-journal.ts'
import { hostWork } from './host-work.ts'
import { hosts } from './hosts.ts'
import { modules } from './modules.ts'
import { notices } from './notices.ts'
import { notifications } from './notifications.ts'
import { oauth } from './oauth.ts'
import { operation, pages } from './pages.ts'
import { procedures } from './procedures.ts'
import { receipts } from './receipts.ts'
import { reports } from './reports.ts'
import { routines } from './routines.ts'
import { runsAdmin } from './runs-admin.ts'
import { tables } from './tables.ts'
import { usage } from './usage.ts'
import { watches } from './watches.ts'

/** All routes of the service, by group. */
export const contract = {
  accounts,
  chat,
  commands,
  routines,
  files,
  tables,
  modules,
  connections,
  certificates,
  receipts,
  reports,
  procedures,
  notifications,
  notices,
  watches,
  about,
  engines,
  usage,
  runsAdmin,
  dashboard,
  hosts,
  hostWork,
  hostFigures,
  hostJournal,
  gateway,
  oauth,
  pages,
  operation,
}
