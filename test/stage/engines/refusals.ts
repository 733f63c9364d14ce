import type { AiProvider } from '../../../server/ai/engine-setting.ts'
import type { Reply } from '../servers/engine-bytes.ts'
import type { Scenario, Seen } from './scenario-stage.ts'

export const any = 'openai-compatible'

export function error(message: string, more: object = {}): object {
  return { error: { message, ...more } }
}

export function reply(status: number, body: string | object, headers: Record<string, string> = {}): Reply {
  return { status, body, headers }
}

/** The run fails for this reason, with these words of the provider's. */
export function fails(code: string, said?: Seen['said'], asked = 1): Seen {
  return { code, asked, ...(said !== undefined && { said }) }
}

/** Whatever the server is asked, it says the same. */
export function on(wire: AiProvider, does: string, given: Reply, seen: Seen): Scenario {
  return [wire, does, [given, given, given], seen]
}
