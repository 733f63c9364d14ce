import type { Policy, UserPolicy, Verdict } from '../ports/policy.ts'
import type { Switches } from './switches.ts'

/** The policy, with everything denied that is switched off for everyone, whatever the rules of a role allow. */
export function switchedPolicy(policy: Policy, switches: Pick<Switches, 'why'>): Policy {
  return {
    like: (tool, args) => policy.like(tool, args),
    covers: (tool, pattern, args) => policy.covers(tool, pattern, args),
    async forUser(user_id, scope, by) {
      const own = await policy.forUser(user_id, scope, by)
      return own === null ? null : withSwitches(own, switches)
    },
  }
}

function withSwitches(own: UserPolicy, switches: Pick<Switches, 'why'>): UserPolicy {
  return {
    revision: own.revision,
    user_id: own.user_id,
    username: own.username,
    role_id: own.role_id,
    ...(own.elevated && { elevated: own.elevated }),
    language: own.language,
    personal_prompt: own.personal_prompt,
    audit_reads: own.audit_reads,
    permission: (permission) => own.permission(permission),
    procedure: (procedure_id) => own.procedure(procedure_id),
    list: (tool) => switched(tool, own.list(tool)),
    call: (tool, args, context) => switched(tool, own.call(tool, args, context)),
    mayUse: (host) => own.mayUse(host),
  }

  function switched<V extends Omit<Verdict, 'basis'>>(
    tool: { readonly module: string; readonly name: string },
    verdict: V,
  ): V {
    const why = verdict.effect === 'deny' ? null : switches.why(tool.module, tool.name)
    if (why === null) return verdict
    return { ...verdict, effect: 'deny', reason: why.in(own.language), basis: 'switched off', off: true }
  }
}
