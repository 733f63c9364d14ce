import type { hostWork as contract } from '../../contract/host-work.ts'
import type { Handlers } from '../../contract/route.ts'
import type { Looks } from './look.ts'

/** One handler for each route that looks at a machine. */
export function lookRoutes(looks: Looks): Handlers<typeof contract> {
  return {
    lookAtHost: async ({ caller, params, body, signal }) => {
      const { status, text, tables } = await looks.look(caller, { ...params, ...body }, signal)
      return { status, text, tables: [...tables] }
    },
    hostTools: async ({ caller, params }) => ({ items: await looks.toolsOn(caller, params.host_id) }),
  }
}
