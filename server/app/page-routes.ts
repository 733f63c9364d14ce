import type { pages } from '../../contract/pages.ts'
import type { Handlers } from '../../contract/route.ts'

/** Every page is the application itself, which shows what belongs to its path. */
const page = () => undefined

export const pageRoutes: Handlers<typeof pages> = {
  dashboard: page,
  chat: page,
  files: page,
  approvals: page,
  watches: page,
  approval: page,
  routines: page,
  routine: page,
  procedures: page,
  procedure: page,
  modules: page,
  module: page,
  account: page,
  admin: page,
  adminUsers: page,
  adminRoles: page,
  adminHosts: page,
  adminAi: page,
  adminLimits: page,
  adminNotifications: page,
  adminClients: page,
  adminRuns: page,
  adminAudit: page,
  help: page,
  helpCertificates: page,
  helpApi: page,
  helpAbout: page,
  helpAuthor: page,
  oauthConsent: page,
  login: page,
  setup: page,
}
