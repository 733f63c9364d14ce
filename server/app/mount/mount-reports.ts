import { contract } from '../../../contract/index.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Database } from '../../db/database.ts'
import type { Files } from '../../files/files.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import { quoted, say } from '../../kernel/sentence.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { ReportsOptions, WantedReport } from '../../reports/reports.ts'
import { exportSheets } from '../../tables/export-table.ts'

/** Mounts reports of runs. `ended` is for whoever knows that a report of a run was wanted. */
export function mountReports(
  server: Pick<HttpServer, 'mount'>,
  of: {
    readonly db: Database
    readonly accounts: Pick<Accounts, 'audit' | 'policy'>
    readonly files: Files
    readonly notifications: Pick<Notifications, 'tell'>
  },
) {
  const { db, accounts, files, notifications } = of
  const options: ReportsOptions = {
    db,
    files,
    audit: accounts.audit,
    workbook: (sheets, about, signal) => exportSheets(sheets, about, signal).bytes,
    // The scope of a routine is for its runs. That it ends with a report is its owner's own wish.
    mayStore: async (user_id) => {
      const verdict = (await accounts.policy.forUser(user_id, null, 'routine'))?.permission('files.create')
      if (verdict?.effect === 'allow') return null
      if (verdict === undefined) return say`Files cannot be stored: the account is disabled or gone.`
      return say`Storing files is not allowed. ${quoted(verdict.reason)}`
    },
    tell: notifications.tell,
  }
  server.mount(
    contract.reports,
    loadedAtFirst(contract.reports, async () => (await import('../../reports/reports.ts')).reportRoutes(options)),
  )
  return {
    ended: async (run_id: string, wanted: WantedReport) =>
      (await import('../../reports/reports.ts')).reportEnded(options, run_id, wanted),
  }
}
