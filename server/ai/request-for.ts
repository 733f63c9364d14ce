import type { EngineRequest } from '../../contract/engines.ts'
import { sameEngine } from './engine-address.ts'
import { USUAL_REQUEST } from './engine-request.ts'
import type { EngineConnection } from './engines-options.ts'
import type { KnownEngine } from './known-engine.ts'

/** How requests are made where only some of it is said: the rest as `kept` has it. Ollama it is only where that is. */
export function requestFor(connection: EngineConnection, kept: KnownEngine | null): EngineRequest {
  const { request } = connection
  const isKept = kept !== null && kept.request.ollama && sameEngine(kept, connection)
  return { ...(request ?? kept?.request ?? USUAL_REQUEST), ollama: request?.ollama ?? isKept }
}
