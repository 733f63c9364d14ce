import type { Accounts } from '../accounts/accounts.ts'
import { endGrants } from '../chat/approvals/end-grants.ts'
import type { RoleRules } from '../modules/catalogue/role-rules.ts'

/** The catalogue's port to what users may do with a module: rules of roles, and approvals given for conversations. */
export function moduleRulesPort({ moduleRules }: Pick<Accounts, 'moduleRules'>): RoleRules {
  return {
    about: (module) => moduleRules.about(module),
    async withdraw(trx, module) {
      await moduleRules.withdraw(trx, module)
      await endGrants(trx, module)
    },
    giveBack: (trx, rules) => moduleRules.giveBack(trx, rules),
  }
}
